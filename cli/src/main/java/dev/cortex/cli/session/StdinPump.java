package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Carries our stdin to a session until its end, or until the person asks to leave a terminal's session. */
final class StdinPump implements Runnable {
    /** Ctrl-], which hardly anything uses twice in a row. */
    private static final byte LEAVE_KEY = 0x1d;

    /** Two presses so close together mean it. The first has been passed on already: nothing that is typed waits. */
    private static final long LEAVE_NANOS = 600_000_000;

    private final SessionInput input;
    private final boolean terminal;
    private final Runnable leave;
    private final FileChannel stdin = new FileInputStream(FileDescriptor.in).getChannel();
    private long pressed;
    private boolean pressedOnce;

    /**
     * @param leave called once when the person leaves; this thread ends then
     */
    StdinPump(SessionInput input, boolean terminal, Runnable leave) {
        this.input = input;
        this.terminal = terminal;
        this.leave = leave;
    }

    @Override
    public void run() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(Frame.DATA_BYTES);
        try {
            while (true) {
                bytes.clear();
                int read = read(bytes);
                if (read < 0) {
                    input.close();
                    return;
                }
                bytes.flip();
                if (terminal && leaves(bytes)) {
                    leave.run();
                    return;
                }
                input.send(bytes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An error ends stdin as its end does: a terminal that hung up, a descriptor that was closed. */
    private int read(ByteBuffer bytes) throws InterruptedException {
        while (true) {
            try {
                return stdin.read(bytes);
            } catch (IOException e) {
                if (!"Resource temporarily unavailable".equals(e.getMessage())) {
                    return -1;
                }
                // Whoever shares our stdin has made it non-blocking.
                Thread.sleep(5);
            }
        }
    }

    private boolean leaves(ByteBuffer bytes) {
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) != LEAVE_KEY) {
                pressedOnce = false;
                continue;
            }
            long now = System.nanoTime();
            if (pressedOnce && now - pressed < LEAVE_NANOS) {
                return true;
            }
            pressedOnce = true;
            pressed = now;
        }
        return false;
    }
}
