package dev.cortex.sandbox;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.regex.Pattern;

/** A sandbox's identity: {@code sb_} and 26 characters (a UUIDv7 in Crockford's base32, lower case), never reused. */
public record SandboxId(String value) {
    private static final Pattern FORM = Pattern.compile("sb_[0-7][0-9a-hjkmnp-tv-z]{25}");

    public SandboxId {
        if (!FORM.matcher(value).matches()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, "not a sandbox id: " + value, "cortex ls shows names and ids");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
