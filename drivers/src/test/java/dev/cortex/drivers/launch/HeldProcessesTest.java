package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.SandboxId;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class HeldProcessesTest {
    @Test
    void aStatusIsSaidAsWaitGivesIt() {
        assertThat(HeldProcesses.words(9)).isEqualTo("its first process was ended by signal 9 (KILL)");
        assertThat(HeldProcesses.words(139)).isEqualTo("its first process was ended by signal 11 (SEGV)");
        assertThat(HeldProcesses.words(35)).isEqualTo("its first process was ended by signal 35");
        assertThat(HeldProcesses.words(2 << 8)).isEqualTo("its first process exited with status 2");
    }

    @Test
    void oneThatHasEndedIsNotHeldSinceNobodyWouldLetGoOfIt() throws Exception {
        HeldProcesses processes = new HeldProcesses();
        SandboxId sandbox = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");
        // Its parent never collects it.
        Process parent = new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
        try (BufferedReader words = parent.inputReader()) {
            FirstProcess first = first(Integer.parseInt(words.readLine()));
            int before = pidfds();
            processes.open(sandbox, first);
            assertThat(pidfds()).isEqualTo(before + 1);
            new ProcessBuilder("kill", "-9", Integer.toString(first.pid()))
                    .start()
                    .waitFor();
            while (!stat(first.pid())[0].equals("Z")) {
                Thread.sleep(5);
            }
            processes.release(sandbox);
            processes.open(sandbox, first);
            assertThat(pidfds()).isEqualTo(before);
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }

    private static FirstProcess first(int pid) throws IOException {
        return new FirstProcess(pid, Long.parseLong(stat(pid)[19]), "");
    }

    private static String[] stat(int pid) throws IOException {
        String text = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
    }

    private static int pidfds() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return (int) all.filter(HeldProcessesTest::isPidfd).count();
        }
    }

    private static boolean isPidfd(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals("anon_inode:[pidfd]");
        } catch (IOException e) {
            return false;
        }
    }
}
