package dev.cortex.drivers.channel;

import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.SocketStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Connects to the socket that the launcher made for a sandbox, and to no other: device and inode are compared before
 * and after. The folder is the host's own (0700) and no guest sees it, so the check guards against mistakes on the host.
 * Thread-safe.
 */
public final class SocketDialer {
    /** How long a full backlog is waited for: the neuron accepts within microseconds unless it is starved or frozen. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    private final Duration patience;

    public SocketDialer() {
        this(PATIENCE);
    }

    public SocketDialer(Duration patience) {
        this.patience = patience;
    }

    /** @throws CortexException GUEST_LOST when nothing listens there, or the socket is another one */
    public GuestStream dial(SandboxId sandbox, SocketFile socket) {
        long end = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            check(sandbox, socket);
            try {
                SocketChannel channel = connect(socket);
                checkAgain(sandbox, socket, channel);
                return new SocketStream(channel);
            } catch (ConnectException e) {
                throw lost(sandbox, "nothing listens on its socket").because(e);
            } catch (ClosedByInterruptException e) {
                throw CortexException.of(ErrorCode.CANCELLED, "dialling " + sandbox + " was cancelled", "");
            } catch (IOException e) {
                // EAGAIN of a full backlog, which a virtual thread gets at once: the JDK has no type of its own for it.
                if (System.nanoTime() > end) {
                    throw lost(sandbox, "it takes no new connection").because(e);
                }
                LockSupport.parkNanos(pause.toNanos());
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
            }
        }
    }

    private static SocketChannel connect(SocketFile socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket.path()));
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void checkAgain(SandboxId sandbox, SocketFile socket, SocketChannel channel) throws IOException {
        try {
            check(sandbox, socket);
        } catch (CortexException e) {
            channel.close();
            throw e;
        }
    }

    private static void check(SandboxId sandbox, SocketFile expected) {
        Map<String, Object> found;
        try {
            found = Files.readAttributes(Path.of(expected.path()), "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            throw lost(sandbox, "its socket is gone");
        } catch (IOException e) {
            throw lost(sandbox, "its socket cannot be seen").because(e);
        }
        if (!Long.valueOf(expected.device()).equals(found.get("dev"))
                || !Long.valueOf(expected.inode()).equals(found.get("ino"))) {
            throw lost(sandbox, "another file lies where its socket was");
        }
    }

    private static CortexException lost(SandboxId sandbox, String how) {
        return CortexException.of(
                ErrorCode.GUEST_LOST,
                "sandbox " + sandbox + " cannot be reached: " + how,
                "cortex inspect shows its state; cortex stop and start make a new first process");
    }
}
