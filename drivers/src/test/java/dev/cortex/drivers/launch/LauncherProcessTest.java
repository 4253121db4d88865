package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real child processes that stand where the launcher is. */
final class LauncherProcessTest {
    private static final Path TOOLS = Path.of("/no/tools");

    @TempDir
    private Path folder;

    private Launcher launcher(String script, Duration deadline) throws IOException {
        Path program = folder.resolve("launcher");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new Launcher(program, deadline);
    }

    private static CortexException errorOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CortexException.class, call);
    }

    @Test
    void theLaunchersOwnErrorReachesTheCaller() throws IOException {
        Launcher launcher = launcher(
                "echo '{\"error\":{\"code\":\"DISK_FULL\",\"message\":\"no space left\",\"remedy\":\"free some\"}}'; exit 1",
                Launcher.DEADLINE);
        CortexException error = errorOf(() -> launcher.probe(TOOLS));
        assertThat(error.code()).isEqualTo(ErrorCode.DISK_FULL);
        assertThat(error).hasMessage("no space left");
        assertThat(error.remedy()).contains("free some");
    }

    @Test
    void anEndWithoutAnAnswerTellsTheStatusAndTheLastWords() throws IOException {
        CortexException error = errorOf(() ->
                launcher("echo 'panic: odd' >&2; exit 2", Launcher.DEADLINE).probe(TOOLS));
        assertThat(error.code()).isEqualTo(ErrorCode.DRIVER_FAILED);
        assertThat(error).hasMessageContaining("status 2");
        assertThat(error.reason()).contains("panic: odd");
    }

    @Test
    void aMissingLauncherIsNotReadyWithTheWayToBuildIt() {
        CortexException error = errorOf(() -> new Launcher(folder.resolve("none"), Launcher.DEADLINE).probe(TOOLS));
        assertThat(error.code()).isEqualTo(ErrorCode.NOT_READY);
        assertThat(error.remedy())
                .hasValueSatisfying(remedy -> assertThat(remedy).contains("./dev build"));
    }

    @Test
    void aLauncherThatHangsIsEndedAtTheDeadline() throws IOException {
        Launcher launcher = launcher("echo $$ >" + folder + "/pid; exec sleep 600", Duration.ofMillis(500));
        CortexException error = errorOf(() -> launcher.probe(TOOLS));
        assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE);
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        assertThat(ProcessHandle.of(pid)
                        .map(ProcessHandle::onExit)
                        .map(end -> end.completeOnTimeout(null, 10, java.util.concurrent.TimeUnit.SECONDS)
                                .join()))
                .satisfies(ended -> assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive))
                        .isEmpty());
    }

    @Test
    void aRequestLargerThanAPipeReachesALauncherThatReadsItAll() throws IOException {
        Launcher launcher = launcher(
                "n=$(wc -c); echo '{\"observations\":{\"n\":{\"state\":\"unknown\",\"reason\":\"'$n'\"}}}'",
                Launcher.DEADLINE);
        List<ObserveSpec.Subject> subjects = java.util.stream.IntStream.range(0, 5_000)
                .mapToObj(i -> new ObserveSpec.Subject("sb_" + i, i + 2, 1, "boot", Optional.empty()))
                .toList();
        assertThat(launcher.observe(subjects)).hasSize(5_000).containsEntry("sb_17", Observation.UNKNOWN);
    }

    @Test
    void aFailingObserveMakesEverySandboxUnknownAndNoneAbsent() throws IOException {
        Launcher launcher = launcher("exit 1", Launcher.DEADLINE);
        assertThat(launcher.observe(List.of(new ObserveSpec.Subject("sb_1", 2, 1, "boot", Optional.empty()))))
                .containsEntry("sb_1", Observation.UNKNOWN);
    }

    @Test
    void ofTheDaemonsEnvironmentOnlyPathGetsToTheLauncher() throws IOException {
        Launcher launcher = launcher("env | cut -d= -f1 >" + folder + "/env; echo '{}'", Launcher.DEADLINE);
        errorOf(() -> launcher.probe(TOOLS));
        assertThat(Files.readAllLines(folder.resolve("env"))).contains("PATH").isSubsetOf("PATH", "PWD", "OLDPWD", "_");
    }

    @Test
    void noDescriptorOfTheDaemonGetsToTheLauncher() throws IOException {
        try (var held = Files.newByteChannel(Path.of("/dev/null"))) {
            Launcher launcher = launcher("ls /proc/self/fd >" + folder + "/fds; echo '{}'", Launcher.DEADLINE);
            errorOf(() -> launcher.probe(TOOLS));
            assertThat(held.isOpen()).isTrue();
        }
        // 3 is the folder that ls itself reads.
        assertThat(Files.readAllLines(folder.resolve("fds"))).containsOnly("0", "1", "2", "3");
    }

    @Test
    void whatStopLeftIsAnErrorThatNamesIt() throws IOException {
        Launcher launcher = launcher(
                "echo '{\"version\":1,\"killed\":1,\"remaining\":[{\"kind\":\"process\",\"name\":\"42\"}]}'; exit 1",
                Launcher.DEADLINE);
        StopSpec spec = new StopSpec(
                1,
                "sb_1",
                RuntimeProgram.NONE,
                0,
                0,
                "",
                Optional.empty(),
                1L << 30,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0);
        CortexException error = errorOf(() -> launcher.stop(spec));
        assertThat(error.code()).isEqualTo(ErrorCode.DRIVER_FAILED);
        assertThat(error).hasMessageContaining("process 42");
    }

    @Test
    void aLauncherThatWaitsIsGivenItsRequestAndTheNextOneWaitsThen() throws Exception {
        launcher("echo $1 >>" + folder + "/args; cat >" + folder + "/request; echo '{}'", Launcher.DEADLINE);
        try (WaitingLaunchers waiting = new WaitingLaunchers(folder.resolve("launcher"), 1)) {
            waiting.refill();
            await(() -> waiting.count() == 1);
            Process first = waiting.take().orElseThrow();
            assertThat(waiting.take()).isEmpty();
            LauncherProcess launcher = new LauncherProcess(folder.resolve("launcher"), "start", List.of());
            assertThat(launcher.run(first, "the request".getBytes(), Launcher.DEADLINE)
                            .status())
                    .isZero();
            assertThat(folder.resolve("request")).hasContent("the request");
        }
    }

    @Test
    void whatIsOfAnotherBuildOrDeadIsNotGiven() throws Exception {
        launcher("exec cat", Launcher.DEADLINE);
        try (WaitingLaunchers waiting = new WaitingLaunchers(folder.resolve("launcher"), 2)) {
            waiting.refill();
            await(() -> waiting.count() == 2);
            launcher("exec cat # another build", Launcher.DEADLINE);
            assertThat(waiting.take()).isEmpty();
            waiting.refill();
            await(() -> waiting.count() == 2);
            assertThat(waiting.take()).isPresent().get().satisfies(Process::destroyForcibly);
        }
    }

    @Test
    void thoseThatWaitEndWithWhoeverStartedThem() throws Exception {
        launcher("echo $$ >>" + folder + "/pids; exec cat", Launcher.DEADLINE);
        WaitingLaunchers waiting = new WaitingLaunchers(folder.resolve("launcher"), 2);
        waiting.refill();
        await(() -> Files.exists(folder.resolve("pids"))
                && Files.readAllLines(folder.resolve("pids")).size() == 2);
        List<String> pids = Files.readAllLines(folder.resolve("pids"));
        waiting.close();
        waiting.refill();
        for (String pid : pids) {
            await(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
        }
        assertThat(waiting.count()).isZero();
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.sleep(5);
        }
    }
}
