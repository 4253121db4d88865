package dev.cortex.sandbox;

import static dev.cortex.sandbox.State.CREATED;
import static dev.cortex.sandbox.State.ERROR;
import static dev.cortex.sandbox.State.PAUSED;
import static dev.cortex.sandbox.State.RUNNING;
import static dev.cortex.sandbox.State.STOPPED;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The table of DESIGN section 4 as one pure function. Fork has no trigger: the parent keeps its state, and each child is
 * born running.
 *
 * <pre>
 *            start            pause
 *  created ─────────▶ running ◀────▶ paused        any ── fail ──▶ error ── reset ──▶ stopped
 *                      ▲   │ resume    │
 *                start │   │ stop      │ stop      created, stopped, paused, error ── remove ──▶ (gone)
 *                      │   ▼           ▼
 *                      stopped ◀───────┘
 * </pre>
 */
public final class Lifecycle {
    private Lifecycle() {}

    /** What a trigger leads to. */
    public sealed interface Outcome {
        /** The sandbox is in that state afterwards; maybe the one that it was in. */
        record Becomes(State state) implements Outcome {}

        /** The record is removed. */
        record Gone() implements Outcome {}

        /** The state does not allow the trigger. */
        record Refused(State from, Trigger trigger, Set<Trigger> legal) implements Outcome {
            public Refused {
                legal = Set.copyOf(legal);
            }

            /** The error that a caller gets, for a sandbox of that name. */
            public CortexException error(String name) {
                boolean there =
                        trigger != Trigger.SNAPSHOT && outcome(from, trigger).equals(new Becomes(from));
                String what = there
                        ? name + " is already " + from.word()
                        : name + " is " + from.word() + ": " + trigger.word() + " is illegal";
                return CortexException.of(ErrorCode.ILLEGAL_TRANSITION, what, remedy(name));
            }

            private String remedy(String name) {
                String ways = legal.stream()
                        .sorted()
                        .flatMap(way -> way.verb().stream())
                        .collect(Collectors.joining(", "));
                String all = "from " + from.word() + " you can: " + ways;
                return switch (trigger) {
                    case REMOVE -> "both in one: cortex rm --force " + name + "; " + all;
                    case START -> from == RUNNING ? "cortex exec " + name + "; " + all : all;
                    default -> all;
                };
            }
        }
    }

    /** What {@code trigger} does to a sandbox that is {@code from}. */
    public static Outcome transition(State from, Trigger trigger) {
        return allows(from, trigger) ? outcome(from, trigger) : new Outcome.Refused(from, trigger, legal(from));
    }

    /** The triggers that a state allows. */
    public static Set<Trigger> legal(State from) {
        Set<Trigger> legal = EnumSet.noneOf(Trigger.class);
        for (Trigger trigger : Trigger.values()) {
            if (allows(from, trigger)) {
                legal.add(trigger);
            }
        }
        return legal;
    }

    private static boolean allows(State from, Trigger trigger) {
        return switch (trigger) {
            case START -> from == CREATED || from == STOPPED;
            case PAUSE, END_PRIMARY -> from == RUNNING;
            case RESUME -> from == PAUSED;
            case STOP, LOSE -> from == RUNNING || from == PAUSED;
            case SNAPSHOT, RESTORE -> from == RUNNING || from == PAUSED || from == STOPPED;
            case RESET -> from == ERROR;
            case REMOVE -> from != RUNNING;
            case FAIL -> true;
        };
    }

    private static Outcome outcome(State from, Trigger trigger) {
        return switch (trigger) {
            case START, RESUME, RESTORE -> new Outcome.Becomes(RUNNING);
            case PAUSE -> new Outcome.Becomes(PAUSED);
            case STOP, LOSE, RESET -> new Outcome.Becomes(STOPPED);
            case SNAPSHOT -> new Outcome.Becomes(from);
            case FAIL -> new Outcome.Becomes(ERROR);
            case END_PRIMARY, REMOVE -> new Outcome.Gone();
        };
    }
}
