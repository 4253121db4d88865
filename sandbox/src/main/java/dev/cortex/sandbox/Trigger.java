package dev.cortex.sandbox;

import java.util.Optional;

/** What makes a sandbox change its state. Some are asked for by a caller, some are seen. */
public enum Trigger {
    START("start", true),
    PAUSE("pause", true),
    RESUME("resume", true),
    STOP("stop", true),
    SNAPSHOT("snapshot", true),
    RESTORE("restore", true),
    RESET("reset", true),
    REMOVE("remove", true),
    /** Its processes are gone, and nobody asked for it. */
    LOSE("lose", false),
    /** The primary command of a sandbox made with {@code --rm} has ended. */
    END_PRIMARY("end primary", false),
    FAIL("fail", false);

    private final String word;
    private final boolean askedFor;

    Trigger(String word, boolean askedFor) {
        this.word = word;
        this.askedFor = askedFor;
    }

    public String word() {
        return word;
    }

    /** What a person types for it, where there is a verb. */
    public Optional<String> verb() {
        return switch (this) {
            case START, PAUSE, RESUME, STOP, RESET -> Optional.of(word);
            case REMOVE -> Optional.of("rm");
            case SNAPSHOT, RESTORE, LOSE, END_PRIMARY, FAIL -> Optional.empty();
        };
    }

    /** Whether a caller can ask for it; the others are only ever seen. */
    public boolean askedFor() {
        return askedFor;
    }
}
