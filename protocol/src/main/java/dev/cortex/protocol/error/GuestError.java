package dev.cortex.protocol.error;

import java.util.Optional;
import java.util.Set;

/**
 * Errors that come from a sandbox, as ones of ours: the words cannot command a terminal and are not long, and only codes
 * are taken that a guest can know of. Whoever is handed an error of a guest makes it one of ours here.
 */
public final class GuestError {
    private static final int MESSAGE_MOST = 2_048;
    private static final int REMEDY_MOST = 512;
    private static final int CODE_MOST = 64;

    /** Everything else, such as OWNED_ELSEWHERE, is the host's to say. */
    private static final Set<ErrorCode> OF_GUEST = Set.of(
            ErrorCode.NOT_FOUND,
            ErrorCode.ALREADY_EXISTS,
            ErrorCode.BUSY,
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.UNAUTHENTICATED,
            ErrorCode.DENIED,
            ErrorCode.UNSUPPORTED,
            ErrorCode.CAPACITY,
            ErrorCode.NOT_READY,
            ErrorCode.DEADLINE,
            ErrorCode.DISK_FULL,
            ErrorCode.OUT_OF_MEMORY,
            ErrorCode.SESSION_EVICTED);

    /** What the daemon itself says on a stream that it relays; who reads it cannot tell the two apart. */
    private static final Set<ErrorCode> OF_RELAY = Set.of(
            ErrorCode.GUEST_LOST,
            ErrorCode.GUEST_TOO_OLD,
            ErrorCode.DRIVER_FAILED,
            ErrorCode.NOT_RUNNING,
            ErrorCode.PAUSED,
            ErrorCode.CANCELLED,
            ErrorCode.INTERNAL);

    private GuestError() {}

    /** For the host's end of a stream or a call: what is said there is a guest's. */
    public static CortexException of(String code, String message, String remedy) {
        return of(ErrorCode.named(code).filter(OF_GUEST::contains), code, message, remedy);
    }

    /** For a client of the daemon, to whom guest and daemon speak on one stream. */
    public static CortexException relayed(String code, String message) {
        Optional<ErrorCode> known =
                ErrorCode.named(code).filter(each -> OF_GUEST.contains(each) || OF_RELAY.contains(each));
        return of(known, code, message, "");
    }

    private static CortexException of(Optional<ErrorCode> known, String code, String message, String remedy) {
        String words = clean(message, MESSAGE_MOST);
        String step = clean(remedy, REMEDY_MOST);
        if (known.isPresent()) {
            return CortexException.of(known.get(), words, step);
        }
        return CortexException.of(ErrorCode.INTERNAL, words, step)
                .because("the guest's code for it is " + clean(code, CODE_MOST));
    }

    /** Words of a guest's, made fit to be shown: short, and without characters that would command a terminal. */
    public static String clean(String words, int most) {
        StringBuilder clean = new StringBuilder(Math.min(words.length(), most));
        int shown = 0;
        for (int at = 0; at < words.length() && shown < most; shown++) {
            int character = words.codePointAt(at);
            at += Character.charCount(character);
            clean.appendCodePoint(isShown(character) ? character : '?');
        }
        return clean.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            // Controls, and marks that reorder what stands around them.
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
