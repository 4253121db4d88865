package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Programs that own the screen, driven through a real terminal (tmux). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TerminalIT {
    private final CortexHome cortex = CortexHome.open();

    /** A server that ends takes a moment: each test has one of its own. */
    private int terminals;

    @BeforeAll
    void createSandbox() throws Exception {
        cortex.cortex("create", "tty").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    @BeforeEach
    void openTerminal() throws Exception {
        terminals++;
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "bash --norc --noprofile");
        tmux("set-option", "-g", "window-size", "manual");
        type("export CORTEX_HOME='" + cortex.home() + "' CORTEX_PORT=" + cortex.port() + " PS1='host> '", "Enter");
        type("cortex() { '" + CortexHome.script() + "' \"$@\"; }; clear", "Enter");
    }

    @AfterEach
    void closeTerminal() throws Exception {
        tmux("kill-server");
    }

    @Test
    void aPythonPromptAnswersAndItsExitStatusComesOut() throws Exception {
        type("cortex exec tty -- python3 -i", "Enter");
        waitsAt(">>>");
        type("6*7", "Enter");
        sees("42");
        type("while True: pass", "Enter", "Enter");
        tmux("send-keys", "C-c");
        sees("KeyboardInterrupt");
        type("exit(9)", "Enter");
        waitsAt("host>");
        type("echo status=$?", "Enter");
        sees("status=9");
    }

    @Test
    void viEditsAFile() throws Exception {
        type("cortex exec tty -- vi -u NONE note.txt", "Enter");
        sees("~");
        type("ihello from vi");
        tmux("send-keys", "Escape");
        type(":wq", "Enter");
        waitsAt("host>");

        assertThat(cortex.cortex("exec", "tty", "--", "cat", "note.txt")
                        .succeeded()
                        .stdout())
                .isEqualTo("hello from vi\n");
    }

    @Test
    void topFollowsTheWindow() throws Exception {
        type("cortex exec tty -- top -d 1", "Enter");
        sees("PID USER");
        type("q");
        waitsAt("host>");
        type("cortex exec tty", "Enter");
        waitsAt("$");
        type("stty size", "Enter");
        sees("30 100");
        tmux("resize-window", "-x", "77", "-y", "22");
        CortexHome.await(
                () -> {
                    type("stty size", "Enter");
                    Thread.sleep(300);
                    return screen().contains("22 77");
                },
                "the new size");
        type("exit 6", "Enter");
        waitsAt("host>");
        type("echo status=$?", "Enter");
        sees("status=6");
    }

    @Test
    void theLoginShellIsTheAgents() throws Exception {
        type("cortex exec tty", "Enter");
        waitsAt("$");
        type("echo I am $(id -un) in $PWD on $(uname -n) with $HOME", "Enter");

        sees("I am agent in /home/agent/workspace on tty with /home/agent");
        type("exit", "Enter");
        waitsAt("host>");
    }

    private void sees(String text) throws Exception {
        try {
            CortexHome.await(() -> screen().contains(text), "»" + text + "« on the screen");
        } catch (AssertionError missing) {
            throw new AssertionError(missing.getMessage() + ", which shows:\n" + screen(), missing);
        }
    }

    /** The cursor stands behind that prompt, on the last line that is not blank (tmux trims what is blank). */
    private void waitsAt(String prompt) throws Exception {
        CortexHome.await(() -> screen().stripTrailing().endsWith(prompt), "the prompt " + prompt);
    }

    private String screen() throws IOException, InterruptedException {
        return tmux("capture-pane", "-p");
    }

    private void type(String text, String... keys) throws IOException, InterruptedException {
        tmux("send-keys", "-l", text);
        for (String key : keys) {
            tmux("send-keys", key);
        }
    }

    private String tmux(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "tmux", "-S", cortex.folder().resolve("tmux" + terminals).toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TERM", "xterm-256color");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
