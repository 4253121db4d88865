package dev.cortex.sandbox;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * A sandbox's name, which is its host name too: 1 to 63 characters (the longest DNS label) of a-z, 0-9 and '-', not
 * beginning or ending with '-'. A name has no '_', so it is never an id.
 */
public record SandboxName(String value) {
    private static final Pattern FORM = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final String[] MANNERS = {
        "brave", "bright", "calm", "clever", "crisp", "eager", "fair", "fleet", "gentle", "glad", "keen", "kind",
        "lively", "lucid", "mellow", "merry", "neat", "nimble", "quick", "quiet", "steady", "swift", "tidy", "warm"
    };
    private static final String[] CELLS = {
        "amacrine", "axon", "basket", "bipolar", "cajal", "dendrite", "golgi", "granule", "lugaro", "martinotti",
        "mitral", "pyramid", "purkinje", "renshaw", "retzius", "soma", "spindle", "stellate", "synapse", "tufted"
    };

    public SandboxName {
        if (!FORM.matcher(value).matches()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    "not a name for a sandbox: " + (value.length() > 80 ? value.substring(0, 80) + "…" : value),
                    "use 1 to 63 characters of a-z, 0-9 and '-', the first and the last a letter or a digit");
        }
    }

    /** A name for a sandbox that was given none. */
    public static SandboxName madeUp(RandomGenerator random) {
        return new SandboxName(MANNERS[random.nextInt(MANNERS.length)] + "-" + CELLS[random.nextInt(CELLS.length)] + "-"
                + Crockford.of(0, random.nextLong(), 4));
    }

    @Override
    public String toString() {
        return value;
    }
}
