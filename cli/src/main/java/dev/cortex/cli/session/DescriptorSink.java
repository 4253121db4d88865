package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Output byte for byte to our own stdout and stderr, without a buffer between. */
public final class DescriptorSink implements Sink {
    private final FileChannel stdout = new FileOutputStream(FileDescriptor.out).getChannel();
    private final FileChannel stderr = new FileOutputStream(FileDescriptor.err).getChannel();

    @Override
    public void write(Frame.Tag tag, ByteBuffer bytes) throws IOException {
        if (tag == Frame.Tag.STDERR) {
            try {
                drain(stderr, bytes);
            } catch (IOException e) {
                // A program that loses its stderr goes on as well.
                bytes.position(bytes.limit());
            }
        } else {
            drain(stdout, bytes);
        }
    }

    private static void drain(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            try {
                channel.write(bytes);
            } catch (IOException e) {
                if (!isFull(e)) {
                    throw e;
                }
                pause();
            }
        }
    }

    /** Whoever shares our stdout has made it non-blocking, and its pipe is full. */
    private static boolean isFull(IOException e) {
        return "Resource temporarily unavailable".equals(e.getMessage());
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
