package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names a process in a UTS namespace of its own. Needs root and unshare(1). */
final class HostNamesIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    private Process process;
    private FirstProcess first;

    @BeforeEach
    void start() throws Exception {
        process = new ProcessBuilder("unshare", "--uts", "sh", "-c", "echo in; exec sleep 60").start();
        BufferedReader words = process.inputReader();
        assertThat(words.readLine()).isEqualTo("in");
        first = new FirstProcess((int) process.pid(), Long.parseLong(stat()[19]), "");
    }

    @AfterEach
    void end() throws Exception {
        process.destroyForcibly().waitFor();
    }

    @Test
    void thatProcessHasTheNameAndNoThreadOfOursStaysWithIt() throws Exception {
        String machine = hostname("/proc/" + ProcessHandle.current().pid());
        Thread caller = Thread.ofVirtual().start(() -> HostNames.set(first, "api"));
        assertThat(caller.join(SOON)).as("the naming's end").isTrue();
        assertThat(hostname("/proc/" + first.pid())).isEqualTo("api");
        assertThat(hostname("/proc/" + ProcessHandle.current().pid())).isEqualTo(machine);
        assertOutside();
    }

    @Test
    void nameAfterNameIsSetSinceNoneNeedsAWayBack() throws Exception {
        for (int i = 0; i < 20; i++) {
            HostNames.set(first, "api-" + i);
            assertThat(hostname("/proc/" + first.pid())).isEqualTo("api-" + i);
        }
        assertOutside();
    }

    @Test
    void whatTheKernelRefusesLeavesNoThreadThereEither() throws Exception {
        assertThatThrownBy(() -> HostNames.set(first, "n".repeat(65)))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DRIVER_FAILED))
                .hasMessageContaining("setting its host name");
        assertOutside();
    }

    @Test
    void anInterruptWaitsUntilTheNameIsSet() throws Exception {
        Thread.currentThread().interrupt();
        HostNames.set(first, "api");
        assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        assertThat(hostname("/proc/" + first.pid())).isEqualTo("api");
    }

    @Test
    void aProcessThatIsGoneIsSaidToBe() throws Exception {
        process.destroyForcibly().waitFor();
        assertThatThrownBy(() -> HostNames.set(first, "api"))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_LOST));
    }

    /** The kernel takes a thread down a moment after it was joined. */
    private static void assertOutside() throws Exception {
        Set<String> ours = Set.of(namespace(Path.of("/proc/self")));
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!namespaces().equals(ours)) {
            assertThat(System.nanoTime()).as("threads left outside in time").isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    private static Set<String> namespaces() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
            return all.map(HostNamesIT::namespace)
                    .filter(name -> !name.isEmpty())
                    .collect(Collectors.toSet());
        }
    }

    /** Empty when that thread has ended meanwhile. */
    private static String namespace(Path task) {
        try {
            return Files.readSymbolicLink(task.resolve("ns/uts")).toString();
        } catch (IOException e) {
            if (!Files.exists(task.resolve("comm"))) {
                return "";
            }
            throw new UncheckedIOException(e);
        }
    }

    private String hostname(String process) throws Exception {
        Process told = new ProcessBuilder("nsenter", "--uts=" + process + "/ns/uts", "hostname").start();
        try (BufferedReader words = told.inputReader()) {
            String name = words.readLine();
            assertThat(told.waitFor()).isZero();
            return name;
        }
    }

    private String[] stat() throws IOException {
        String text = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        return text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
    }
}
