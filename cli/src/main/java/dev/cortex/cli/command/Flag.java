package dev.cortex.cli.command;

/**
 * A flag of a verb.
 *
 * @param name long form without its dashes
 * @param letter short form, or 0
 * @param alias another long form, or empty
 * @param value what its value is called in help, empty for a switch
 * @param repeats whether it may be given more than once
 * @param help what help says of it; empty where it shares the line of the flag before it
 */
public record Flag(String name, char letter, String alias, String value, boolean repeats, String help) {
    static Flag on(String name, String help) {
        return new Flag(name, (char) 0, "", "", false, help);
    }

    static Flag on(char letter, String name, String help) {
        return new Flag(name, letter, "", "", false, help);
    }

    static Flag of(String name, String value, String help) {
        return new Flag(name, (char) 0, "", value, false, help);
    }

    static Flag of(char letter, String name, String value, String help) {
        return new Flag(name, letter, "", value, false, help);
    }

    static Flag many(String name, String value, String help) {
        return new Flag(name, (char) 0, "", value, true, help);
    }

    static Flag many(char letter, String name, String value, String help) {
        return new Flag(name, letter, "", value, true, help);
    }

    /** On the line of the flag before it, whose help speaks of both. */
    Flag shared() {
        return new Flag(name, letter, alias, value, repeats, "");
    }

    Flag alias(String other) {
        return new Flag(name, letter, other, value, repeats, help);
    }

    public boolean takesValue() {
        return !value.isEmpty();
    }

    boolean isNamed(String word) {
        return name.equals(word) || (!alias.isEmpty() && alias.equals(word));
    }
}
