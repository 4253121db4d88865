package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.GuestError;
import dev.cortex.sandbox.guest.SessionStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Times and sessions in the words of a reason. */
final class Spoken {
    /** What a guest calls a session is cut to that. */
    private static final int CHARACTERS = 40;

    private Spoken() {}

    /** The two largest units, such as {@code 1h 30m}; milliseconds below a second. */
    static String time(Duration time) {
        long seconds = Math.max(0, time.toSeconds());
        if (seconds == 0) {
            return Math.max(0, time.toMillis()) + "ms";
        }
        long[] sizes = {86_400, 3_600, 60, 1};
        String units = "dhms";
        int first = 0;
        while (seconds < sizes[first]) {
            first++;
        }
        long whole = seconds / sizes[first];
        String text = whole + units.substring(first, first + 1);
        if (first + 1 < sizes.length) {
            long rest = seconds % sizes[first] / sizes[first + 1];
            text += rest > 0 ? " " + rest + units.charAt(first + 1) : "";
        }
        return text;
    }

    /** Its label, else the name of its program. */
    static String session(SessionStatus session) {
        String name = session.label();
        if (name.isEmpty() && !session.argv().isEmpty()) {
            String program = new String(session.argv().getFirst(), StandardCharsets.UTF_8);
            name = program.substring(program.lastIndexOf('/') + 1);
        }
        // Its arguments are the guest's words: what would command or reorder a terminal's text is not among them.
        String printable = GuestError.clean(name, CHARACTERS + 1).strip();
        String cut = printable.length() > CHARACTERS ? printable.substring(0, CHARACTERS) + "…" : printable;
        return cut.isEmpty() ? session.id() : cut;
    }
}
