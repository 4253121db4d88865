package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Completion in real shells with a real terminal, whose keys are pressed: bash, zsh and fish. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CompletionIT {
    /** A name that a shell which expands it would run. */
    private static final String HOSTILE = "evil$(touch pwned)";

    private final CortexHome home = CortexHome.open();

    /** How each shell is started without anybody's settings, and how it learns the completion. */
    enum Shell {
        BASH("PS1='> ' exec bash --norc --noprofile -i", "eval \"$(cortex completion bash)\""),
        ZSH("PS1='> ' exec zsh -f -i", "autoload -U compinit && compinit -u -D && eval \"$(cortex completion zsh)\""),
        FISH("exec fish --no-config -i", "cortex completion fish | source");

        private final String start;
        private final String setUp;

        Shell(String start, String setUp) {
            this.start = start;
            this.setUp = setUp;
        }
    }

    @BeforeAll
    void twoSandboxesWithFiles() throws Exception {
        Path programs = Files.createDirectories(home.folder().resolve("bin"));
        Files.createSymbolicLink(programs.resolve("cortex"), CortexHome.script());
        home.with("PATH", programs + ":" + System.getenv("PATH"));
        home.cortex("create", "completed").succeeded();
        home.cortex("create", "stopped-one", "--no-start").succeeded();
        home.cortex(
                        "exec",
                        "completed",
                        "--",
                        "sh",
                        "-c",
                        "mkdir data; echo 1 >data/one.csv; echo 2 >data/two.csv; echo 3 >'" + HOSTILE + "'")
                .succeeded();
        Files.createDirectories(home.folder().resolve("local-folder"));
        Files.writeString(home.folder().resolve("local-file.txt"), "here\n");
    }

    @AfterEach
    void endTheTerminal() throws Exception {
        // Fails where no terminal is left.
        home.shell("tmux -L '" + socket() + "' kill-server 2>/dev/null || true").succeeded();
    }

    @AfterAll
    void close() throws Exception {
        home.close();
    }

    private String socket() {
        return "cortex-completion-" + ProcessHandle.current().pid();
    }

    private String tmux(String... words) throws IOException, InterruptedException {
        List<String> quoted = new ArrayList<>();
        for (String word : words) {
            quoted.add("'" + word.replace("'", "'\\''") + "'");
        }
        return home.shell("tmux -L '" + socket() + "' " + String.join(" ", quoted))
                .succeeded()
                .stdout();
    }

    private void open(Shell shell) throws IOException, InterruptedException {
        tmux(
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "180",
                "-y",
                "50",
                "-c",
                home.folder().toString(),
                shell.start);
        tmux("send-keys", "-l", shell.setUp + " && echo re''ady");
        tmux("send-keys", "Enter");
        CortexHome.await(
                () -> screen().lines().anyMatch(line -> line.strip().equals("ready")), "the completion in " + shell);
        tmux("send-keys", "C-l");
    }

    private String screen() throws IOException, InterruptedException {
        return tmux("capture-pane", "-p", "-J");
    }

    /** Types a line, presses the key, and waits for what shall be there; clears the line again. */
    private void press(String typed, String expected) throws IOException, InterruptedException {
        tmux("send-keys", "-l", typed);
        tmux("send-keys", "Tab");
        CortexHome.await(() -> screen().contains(expected), expected + "\nbehind: " + typed + "\non:\n" + screen());
        tmux("send-keys", "C-c");
        tmux("send-keys", "C-l");
        CortexHome.await(() -> !screen().contains(typed), "an empty screen behind: " + typed);
    }

    @ParameterizedTest
    @EnumSource(Shell.class)
    void verbsFlagsNamesSessionsPathsAndValuesAreCompleted(Shell shell) throws Exception {
        String session = home.cortex("exec", "completed", "--detach", "--", "sleep", "600")
                .succeeded()
                .stdout()
                .strip();
        open(shell);
        press("cortex insp", "cortex inspect ");
        press("cortex inspect comp", "cortex inspect completed ");
        press("cortex start stop", "cortex start stopped-one ");
        press("cortex run --ent", "cortex run --entrypoint ");
        press("cortex run --driver=pro", "cortex run --driver=process");
        press("cortex config set daemon.log-s", "cortex config set daemon.log-size ");
        press("cortex attach completed " + session.substring(0, session.length() - 2), session);
        press("cortex cp completed:da", "cortex cp completed:data/");
        press("cortex cp completed:data/o", "cortex cp completed:data/one.csv");
        press("cortex exec completed -- cat data/t", "cortex exec completed -- cat data/two.csv");
        press("cortex cp local-fi", "cortex cp local-file.txt ");
        press("cortex run --workspace local-", "cortex run --workspace local-folder/");
        press("cortex help work", "cortex help workspaces ");
        home.cortex("sessions", "completed", session, "--rm").succeeded();
    }

    @ParameterizedTest
    @EnumSource(Shell.class)
    void aHostileNameIsQuotedAndRunsNothing(Shell shell) throws Exception {
        open(shell);
        tmux("send-keys", "-l", "cortex cp completed:ev");
        tmux("send-keys", "Tab");
        CortexHome.await(() -> screen().contains("pwned"), "the name in the line\n" + screen());
        tmux("send-keys", "-l", " copy-" + shell);
        tmux("send-keys", "Enter");
        Path copy = home.folder().resolve("copy-" + shell);
        CortexHome.await(() -> Files.exists(copy) && Files.size(copy) == 2, "the file under its own name\n" + screen());
        assertThat(copy).content(StandardCharsets.UTF_8).isEqualTo("3\n");
        assertThat(home.folder().resolve("pwned")).doesNotExist();
    }

    @Test
    void aKeyStartsNoDaemonBuildsNothingAndSaysNothingWhereThereIsNone() throws Exception {
        Path empty = home.folder().resolve("empty");
        CortexHome.Outcome outcome =
                home.cortex("completion", "words", "--", "--home", empty.toString(), "inspect", "");
        assertThat(outcome.succeeded().stdout()).isEqualTo(":words\n");
        assertThat(outcome.stderr()).isEmpty();
        assertThat(empty.resolve("daemon.pid")).doesNotExist();
    }

    @Test
    void aDaemonThatStandsStillIsNotWaitedFor() throws Exception {
        long daemon = home.daemonPid();
        signal(daemon, "STOP");
        try {
            CortexHome.Outcome outcome = home.cortex("completion", "words", "--", "inspect", "");
            assertThat(outcome.stdout()).isEmpty();
            assertThat(outcome.status()).isEqualTo(1);
        } finally {
            signal(daemon, "CONT");
        }
    }

    private static void signal(long process, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }
}
