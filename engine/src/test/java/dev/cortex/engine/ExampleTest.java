package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Exec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The worked example of the README: Cortex as a library. Here over the driver {@code process}, which needs nothing. */
final class ExampleTest {
    @Test
    void aJavaProgramRunsCodeInASandbox() throws Exception {
        try (TestHome home = new TestHome()) {
            Cortex cortex = home.open();
            CreateSandbox request =
                    CreateSandbox.defaults().named("example").on("process").allowingInsecureProcess();
            try (Sandbox sandbox = cortex.create(request)) {
                Exec.Result result = sandbox.exec("sh", "-c", "echo $((6*7)); echo oops >&2; exit 3");
                assertThat(result.stdout()).contains("42\n");
                assertThat(result.stderr()).contains("oops\n");
                assertThat(result.status()).contains(3);

                sandbox.writeFile("greeting.txt", "hello\n".getBytes(StandardCharsets.UTF_8));
                assertThat(sandbox.exec("cat", "greeting.txt").stdout()).contains("hello\n");
                assertThat(sandbox.readFile("greeting.txt")).asString().isEqualTo("hello\n");
            }
        }
    }
}
