package dev.cortex.testkit.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Pausing;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestInfo;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a driver promises of a sandbox in which a neuron runs. A driver joins by a test class that extends this one. */
public abstract class DriverContract extends DriverLifecycleContract {
    private static final int STREAMS = 40;

    @Test
    void aStartedSandboxAnswersInfo() {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Guest guest = trial.connect(handle)) {
            assertThat(guest.info(Trial.PATIENCE).initialized()).isFalse();
        }
    }

    @Test
    void beforeInitializeItAnswersInfoOnly() {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Guest guest = trial.connect(handle)) {
            guest.info(Trial.PATIENCE);
            assertThat(refused(guest::sessions).code()).isEqualTo(ErrorCode.NOT_READY);
        }
    }

    @Test
    void commandsRunInItOnceItIsInitialized() {
        Trial trial = trial();
        try (Shell shell = trial.shell(trial.start())) {
            Shell.Outcome outcome = shell.run("echo $((6*7)); echo problem >&2; exit 3");
            assertThat(outcome.code()).isEqualTo(3);
            assertThat(outcome.output()).contains("42\n").contains("problem\n");
        }
    }

    @Test
    void aPausedSandboxStandsStillAndGoesOnWhereItWas() throws Exception {
        Trial trial = trial();
        Handle handle = trial.start();
        if (!(trial.driver() instanceof Pausing pausing)
                || !trial.driver().capabilities().has(Capability.PAUSE)) {
            assertThat(trial.driver().capabilities().has(Capability.PAUSE)).isFalse();
            return;
        }
        try (Shell shell = trial.shell(handle)) {
            pausing.pause(handle);
            pausing.pause(handle);
            assertThat(observed(trial, handle)).isEqualTo(Observation.PAUSED);
            try (GuestStream queued = trial.driver().dial(handle)) {
                assertThat(queued.isOpen()).as("a dial waits in the queue").isTrue();
            }
            assertThat(refused(() -> shell.guest().info(Duration.ofMillis(300))).code())
                    .isEqualTo(ErrorCode.DEADLINE);
            pausing.resume(handle);
            pausing.resume(handle);
            assertThat(observed(trial, handle)).isEqualTo(Observation.RUNNING);
            assertThat(shell.run("echo on").output()).contains("on\n");
        }
    }

    @Test
    void aPausedSandboxIsStoppedAsItIs() throws Exception {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            shell.run("sleep 300 & sleep 300 & true");
        }
        if (trial.driver() instanceof Pausing pausing
                && trial.driver().capabilities().has(Capability.PAUSE)) {
            pausing.pause(handle);
        }
        trial.stop(handle);
        assertNothingLeft(trial);
    }

    /** The kernel tells it of a process that is no child of ours since 6.15. */
    @Test
    void whatEndedAFirstProcessFromOutsideIsTold() throws Exception {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            shell.run("true");
        }
        assertThat(trial.driver().causeOfDeath(handle)).as("while it lives").isEmpty();
        long pid = subject().firstProcess(trial.request(), handle);
        assertThat(new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor())
                .isZero();
        eventually(() -> observed(trial, handle) == Observation.ABSENT);
        if (kernelTells()) {
            eventually(() -> trial.driver().causeOfDeath(handle).isPresent());
            assertThat(trial.driver().causeOfDeath(handle).orElseThrow())
                    .isEqualTo("its first process was ended by signal 9 (KILL)");
        } else {
            assertThat(trial.driver().causeOfDeath(handle).orElse("signal 9")).contains("signal 9");
        }
    }

    private static boolean kernelTells() {
        String[] version = System.getProperty("os.version").split("[.-]");
        int major = Integer.parseInt(version[0]);
        return major > 6 || (major == 6 && Integer.parseInt(version[1]) >= 15);
    }

    @Test
    void manyStreamsAreDialledAtOnce() throws Exception {
        Trial trial = trial();
        Handle handle = trial.start();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<GuestInfo>> answers = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                answers.add(threads.submit(() -> {
                    try (Guest guest = trial.connect(handle)) {
                        return guest.info(Trial.PATIENCE);
                    }
                }));
            }
            for (Future<GuestInfo> answer : answers) {
                assertThat(answer.get().initialized()).isFalse();
            }
        }
    }

    @Test
    void closingAStreamFreesItsReader() throws Exception {
        Trial trial = trial();
        GuestStream stream = trial.driver().dial(trial.start());
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                while (stream.read(ByteBuffer.allocate(64)) >= 0) {
                    Thread.onSpinWait();
                }
            } catch (IOException e) {
                // What a closed stream answers.
            }
        });
        stream.close();
        assertThat(reader.join(Trial.PATIENCE)).isTrue();
    }

    @Test
    void stopLeavesNothingNotEvenWhatLeftItsSession() {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            shell.run("setsid sleep 600 </dev/null >/dev/null 2>&1 & (setsid sh -c 'sleep 601 & sleep 602' &) ; :");
            shell.begin("trap '' TERM HUP INT; while :; do sleep 1; done");
            assertThat(subject().leftovers(trial.request(), trial.request().sandbox()))
                    .as("the sandbox is seen while it runs")
                    .isNotEmpty();
        }
        trial.stop(handle);
        assertNothingLeft(trial);
    }

    @Test
    void stoppingFromTheIdAloneFindsEveryProcess() {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            shell.run("setsid sleep 600 </dev/null >/dev/null 2>&1 & :");
        }
        trial.driver().stop(trial.stopRequest(Optional.empty()));
        assertNothingLeft(trial);
    }

    @Test
    void aKilledFirstProcessIsSeenAsAbsentAndStopCleansUp() throws Exception {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            shell.run("setsid sleep 600 </dev/null >/dev/null 2>&1 & :");
        }
        long pid = subject().firstProcess(trial.request(), handle);
        assertThat(ProcessHandle.of(pid).map(ProcessHandle::destroyForcibly)).contains(true);
        eventually(() -> observed(trial, handle) == Observation.ABSENT);
        // Its last threads let go of the socket a moment after it counts as dead.
        eventually(() -> dialFails(trial, handle));
        assertThat(refused(() -> trial.driver().dial(handle)).code()).isEqualTo(ErrorCode.GUEST_LOST);
        trial.stop(handle);
        assertNothingLeft(trial);
    }

    private static boolean dialFails(Trial trial, Handle handle) {
        try (GuestStream stream = trial.driver().dial(handle)) {
            return !stream.isOpen();
        } catch (CortexException | IOException e) {
            return true;
        }
    }

    @Test
    void anotherSocketInThatPlaceIsNotDialled() throws IOException {
        Trial trial = trial();
        Handle handle = trial.start();
        Path socket = subject().socket(trial.request());
        Files.delete(socket);
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket));
            assertThat(refused(() -> trial.driver().dial(handle)).code()).isEqualTo(ErrorCode.GUEST_LOST);
        }
        trial.stop(handle);
        assertNothingLeft(trial);
    }

    @Test
    void aLinkToTheSocketIsNotDialled() throws IOException {
        Trial trial = trial();
        Handle handle = trial.start();
        Path socket = subject().socket(trial.request());
        Path moved = socket.resolveSibling("moved");
        Files.move(socket, moved);
        Files.createSymbolicLink(socket, moved);
        assertThat(refused(() -> trial.driver().dial(handle)).code()).isEqualTo(ErrorCode.GUEST_LOST);
        Files.delete(socket);
        Files.move(moved, socket);
        trial.driver().dial(handle).close();
    }

    @Test
    void twoSandboxesSideBySideKeepTheirFilesAndEndAlone() {
        Trial one = trial();
        Trial two = trial();
        Handle first = one.start();
        try (Shell a = one.shell(first);
                Shell b = two.shell(two.start())) {
            assertThat(a.run("echo mine >note").ok()).isTrue();
            assertThat(b.run("cat note").ok()).isFalse();
            one.stop(first);
            assertThat(b.run("echo still here").output()).isEqualTo("still here\n");
        }
    }

    @Test
    void theDiskSurvivesStopAndStart() {
        Trial trial = trial();
        Handle first = trial.start();
        try (Shell shell = trial.shell(first)) {
            assertThat(shell.run("umask 077; mkdir -p d && echo kept >d/note && ln -s note d/link")
                            .ok())
                    .isTrue();
        }
        trial.stop(first);
        assertThat(trial.driver().diskUsage(trial.request().disk())).isPositive();
        try (Shell shell = trial.shell(trial.start())) {
            assertThat(shell.run("cat d/link; stat -c %a d/note").output()).isEqualTo("kept\n600\n");
        }
    }

    @Test
    void aRestartedDaemonDialsItByTheStoredHandle() throws IOException {
        Trial trial = trial();
        Handle handle = trial.start();
        Handle stored = new Handle(handle.driver(), handle.version(), handle.sandbox(), handle.data());
        SandboxDriver restarted = subject().driver();
        restarted.dial(stored).close();
    }

    @Test
    void aDiskWithFoldersThatNobodyMayEnterIsWiped() {
        Trial trial = trial();
        Handle handle = trial.start();
        try (Shell shell = trial.shell(handle)) {
            assertThat(shell.run("mkdir -p a/b && echo x >a/b/c && chmod 000 a/b")
                            .ok())
                    .isTrue();
        }
        trial.stop(handle);
        trial.driver().wipeDisk(trial.request().disk());
        assertThat(trial.request().disk()).doesNotExist();
    }
}
