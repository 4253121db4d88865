package dev.cortex.sandbox.terms;

import java.util.Locale;

/**
 * What sessions may be and call.
 *
 * @param root whether there are sessions as root of the sandbox, and {@code sudo} in it
 */
public record Rights(boolean root, Seccomp seccomp) {
    public static final Rights DEFAULT = new Rights(true, Seccomp.DEFAULT);

    /** Which system calls pass. */
    public enum Seccomp {
        DEFAULT,
        /** Also what browsers and sandboxes in the sandbox need. */
        NESTED,
        /** Also what debuggers need. */
        DEBUG;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
