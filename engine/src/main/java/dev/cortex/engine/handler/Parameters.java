package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.guest.GuestFiles.GuestPath;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Query parameters, checked. */
final class Parameters {
    private final Call<?> call;

    Parameters(Call<?> call) {
        this.call = call;
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(call.query().get(name));
    }

    /** Absent is false; present without a value is true, as in {@code ?force}. */
    boolean flag(String name) {
        return switch (text(name).orElse("false")) {
            case "false", "0" -> false;
            case "true", "1", "" -> true;
            default -> throw wrong(name, "true or false");
        };
    }

    long number(String name, long byDefault, long least, long most) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return byDefault;
        }
        try {
            long value = Long.parseLong(text.get());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, "a number");
        }
        throw wrong(name, least + " to " + most);
    }

    /** Permission bits in octal; 0 when absent. */
    int mode(String name) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            int mode = Integer.parseInt(text.get(), 8);
            if (mode >= 0 && mode <= 07777) {
                return mode;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, "octal digits, such as 0644");
        }
        throw wrong(name, "0 to 7777 in octal");
    }

    /** {@code path}, or {@code path_b64} byte for byte. */
    byte[] path() {
        Optional<String> plain = text("path");
        Optional<String> encoded = text("path_b64");
        if (plain.isPresent() == encoded.isPresent()) {
            throw wrong("path", "given once: path, or path_b64");
        }
        try {
            byte[] path = encoded.map(Base64.getDecoder()::decode)
                    .orElseGet(() -> plain.orElse("").getBytes(StandardCharsets.UTF_8));
            return requirePath(path);
        } catch (IllegalArgumentException e) {
            throw wrong("path_b64", "base64");
        }
    }

    /** The path with whose rights it is meant: the call's user, or the sandbox's. */
    GuestPath guestPath(String user) {
        return new GuestPath(path(), text("user").orElse(user));
    }

    static byte[] requirePath(byte[] path) {
        if (path.length == 0 || path.length > 4_095) {
            throw wrong("path", "1 to 4,095 bytes");
        }
        for (byte b : path) {
            if (b == 0) {
                throw wrong("path", "free of NUL");
            }
        }
        return path;
    }

    static CortexException wrong(String name, String form) {
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT, name + " must be " + form, "the API document has every parameter");
    }
}
