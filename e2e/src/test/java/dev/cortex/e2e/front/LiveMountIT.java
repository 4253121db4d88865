package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders of the machine that a sandbox works in, and what it cannot do there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LiveMountIT {
    private final CortexHome cortex = CortexHome.open();
    private Path project;

    @BeforeAll
    void createSandbox() throws Exception {
        project = Files.createDirectory(cortex.folder().resolve("project"));
        Files.createDirectory(cortex.folder().resolve("looked-at"));
        git("init", "-q");
        Files.writeString(project.resolve("file"), "from the host\n");
        git("add", ".");
        git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first");
        cortex.cortex(
                        "create",
                        "live",
                        "--mount",
                        project + ":/home/agent/project",
                        "--mount",
                        cortex.folder().resolve("looked-at") + ":/opt/looked-at:ro")
                .succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private void git(String... words) throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(List.of("git", "-C", project.toString()));
        command.addAll(List.of(words));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private CortexHome.Outcome sh(String script) throws Exception {
        return cortex.cortex("exec", "live", "-w", "/home/agent/project", "--", "sh", "-c", script);
    }

    @Test
    void bothSidesSeeWhatTheOtherWritesAndTheOwnerStaysTheOwner() throws Exception {
        assertThat(sh("cat file; stat -c %U file; echo inside >made; id -un")
                        .succeeded()
                        .stdout())
                .isEqualTo("from the host\nagent\nagent\n");
        assertThat(project.resolve("made")).hasContent("inside\n");
        assertThat(Files.getOwner(project.resolve("made"))).isEqualTo(Files.getOwner(project));
        Files.writeString(project.resolve("later"), "x");
        assertThat(sh("cat later").succeeded().stdout()).isEqualTo("x");
    }

    @Test
    void itsHomeStaysTheAgents() throws Exception {
        assertThat(sh("touch ~/mine && stat -c %U ~ ~/mine").succeeded().stdout())
                .isEqualTo("agent\nagent\n");
    }

    @Test
    void itCanCommitThere() throws Exception {
        sh("echo more >committed && git add committed && git -c user.name=a -c user.email=a@a commit -qm inside")
                .succeeded();
        Process log = new ProcessBuilder("git", "-C", project.toString(), "log", "--format=%s", "-1", "--", "committed")
                .start();
        assertThat(new String(log.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("inside\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo evil >.git/hooks/post-commit",
                "echo '[core]' >>.git/config",
                "git config core.fsmonitor ./evil",
                "git config core.hooksPath evil",
                "chmod 755 .git/config",
                "ln .git/config other",
                "mv .git x",
                "mkdir -p deep/down && cd deep/down && git init -q",
                "mkdir -p a/hooks && mv a b/.git || mkdir b && mv a b/.git",
                "echo 'gitdir: ../evil' >.git/modules || echo 'gitdir: ../evil' >b.git && mkdir -p c && mv b.git c/.git",
                "mkdir -p bare && cd bare && git init -q --bare",
                "echo evil >.envrc",
                "mkdir .husky",
                "mkdir .vscode && echo evil >.vscode/tasks.json",
                "ln -s .git way && echo evil >way/hooks/pre-push",
                "mknod disk b 8 0"
            })
    void nothingThatTheHostWouldRunCanBePlanted(String attack) throws Exception {
        assertThat(sh("set -e; mkdir -p t && cd t && rm -rf ./* && cd .. && { " + attack + "; }")
                        .status())
                .as(attack)
                .isNotZero();
        assertThat(project.resolve(".git/hooks/post-commit")).doesNotExist();
        assertThat(project.resolve(".git/config")).content().doesNotContain("evil");
        try (var found = Files.find(
                project,
                8,
                (path, is) -> List.of(".git", ".envrc", ".husky")
                        .contains(path.getFileName().toString()))) {
            assertThat(found).containsExactly(project.resolve(".git"));
        }
    }

    @Test
    void aLinkOutOfTheFolderLeadsNowhere() throws Exception {
        Path secret = Files.writeString(cortex.folder().resolve("secret"), "s");
        Files.createSymbolicLink(project.resolve("out"), secret);
        Files.createSymbolicLink(project.resolve("up"), Path.of("..", "secret"));

        assertThat(sh("cat out; cat up; ls " + secret).stdout()).isEmpty();
    }

    @Test
    void noSocketOfTheHostAnswersThroughIt() throws Exception {
        Path socket = project.resolve("power.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            assertThat(sh("python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('power.sock')\"")
                            .stderr())
                    .contains("ConnectionRefusedError");
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    @Test
    void noPathOfTheHostShows() throws Exception {
        assertThat(sh("cat /proc/self/mountinfo /proc/self/mounts").succeeded().stdout())
                .contains("/home/agent/project")
                .doesNotContain(cortex.folder().toString());
    }

    @Test
    void aReadOnlyOneIsReadOnly() throws Exception {
        assertThat(sh("touch /opt/looked-at/x").stderr()).contains("Read-only file system");
    }

    @Test
    void itOutlivesTheDaemonAndAStop() throws Exception {
        cortex.killDaemon();
        sh("echo 1 >after-a-crash").succeeded();
        cortex.cortex("stop", "live").succeeded();
        assertThat(guards()).isEmpty();
        cortex.cortex("start", "live").succeeded();
        sh("echo 2 >after-a-stop").succeeded();
        assertThat(project.resolve("after-a-crash")).hasContent("1");
        assertThat(project.resolve("after-a-stop")).hasContent("2");
    }

    private static List<String> guards() {
        return ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .filter(line -> line.contains("live-guard"))
                .toList();
    }

    @Test
    void aFolderThatIsGoneIsNamedAtTheNextStart() throws Exception {
        Path gone = Files.createDirectory(cortex.folder().resolve("gone"));
        cortex.cortex("create", "loses", "--mount", gone + ":/home/agent/gone").succeeded();
        cortex.cortex("stop", "loses").succeeded();
        Files.delete(gone);

        assertThat(cortex.cortex("start", "loses").stderr())
                .contains(gone + ", which is mounted live, is gone", "mkdir -p");
        Files.createDirectory(gone);
        cortex.cortex("start", "loses").succeeded();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "/:/home/agent/x | DENIED",
                "/proc:/home/agent/x | DENIED",
                "/run:/home/agent/x | DENIED",
                "home:/home/agent/x | DENIED",
                ".:/home/agent/x | DENIED",
                "/no/such/folder:/home/agent/x | NOT_FOUND",
                "/etc/passwd:/home/agent/x | INVALID_ARGUMENT",
                "project:x | INVALID_ARGUMENT",
                "project:/proc/x | INVALID_ARGUMENT",
                "project:/run/cortex | INVALID_ARGUMENT",
                "project:/home/agent/../../etc | INVALID_ARGUMENT"
            })
    void whatCannotBeMountedIsRefusedWithItsReason(String mount, String code) throws Exception {
        CortexHome.Outcome refused = cortex.cortex("create", "never", "--mount", mount, "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stdout()).contains("\"code\":\"" + code + "\"").contains("\"remedy\":\"");
    }

    @Test
    void withoutIsolationItIsALinkAndCannotBeReadOnly() throws Exception {
        CortexHome.Outcome refused =
                cortex.shell("CORTEX_ALLOW_INSECURE_PROCESS=1 cortex create plain --driver process --mount '" + project
                        + ":/home/agent/here:ro'");
        assertThat(refused.stderr()).contains("cannot keep a mount read-only", "leave :ro out");
        cortex.shell("CORTEX_ALLOW_INSECURE_PROCESS=1 cortex create plain --driver process --mount '" + project
                        + ":/home/agent/here'")
                .succeeded();
        assertThat(cortex.cortex("exec", "plain", "--", "sh", "-c", "cat ~/here/file")
                        .succeeded()
                        .stdout())
                .isEqualTo("from the host\n");
        cortex.cortex("rm", "--force", "--wipe", "plain").succeeded();
        assertThat(project.resolve("file")).exists();
    }
}
