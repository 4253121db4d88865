package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;

/**
 * Which session a client wants, and how.
 *
 * @param sandbox name or id
 * @param session id; may be shortened
 * @param mode observers neither type nor signal
 * @param from cursor to begin at
 * @param terminal whether the session has one and so have we
 * @param stdin whether our stdin is forwarded
 */
public record Target(String sandbox, String session, Frame.Mode mode, long from, boolean terminal, boolean stdin) {
    public static Target held(String sandbox, String session, boolean terminal, boolean stdin) {
        return new Target(sandbox, session, Frame.Mode.HOLD, 0, terminal, stdin);
    }
}
