package dev.cortex.engine.handler;

import java.util.List;
import java.util.Locale;

/** Signals by number or by Linux's names, with or without SIG. */
final class Signals {
    /** In the order of their numbers, which are those of x86-64 and arm64 (signal(7)). */
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");

    /** Of the last real-time signal. */
    private static final int MOST = 64;

    private Signals() {}

    static int number(String signal) {
        String name = signal.toUpperCase(Locale.ROOT);
        int at = NAMES.indexOf(name.startsWith("SIG") ? name.substring(3) : name);
        if (at >= 0) {
            return at + 1;
        }
        try {
            int number = Integer.parseInt(signal);
            if (number >= 1 && number <= MOST) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw Parameters.wrong("signal", "a number or a name such as TERM");
        }
        throw Parameters.wrong("signal", "1 to " + MOST);
    }
}
