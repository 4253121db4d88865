package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Carries our stdin to a session until its end, or until the person asks to leave a terminal's session. */
final class StdinPump implements Runnable {
    private final SessionInput input;
    private final Runnable leave;
    private final LeaveKey key;
    private final boolean terminal;
    private final FileChannel stdin = new FileInputStream(FileDescriptor.in).getChannel();

    /**
     * @param leave called once when the person leaves; this thread ends then
     */
    StdinPump(SessionInput input, boolean terminal, Runnable leave) {
        this.input = input;
        this.terminal = terminal;
        this.leave = leave;
        this.key = new LeaveKey(input::send);
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
                if (!terminal) {
                    input.send(bytes);
                } else if (key.typed(bytes)) {
                    leave.run();
                    return;
                }
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
}
