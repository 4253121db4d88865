package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Each mistake has a code, a message and a remedy: in the CLI, in {@code --json} and over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadInputIT {
    private final CortexHome cortex = CortexHome.open();

    @BeforeAll
    void createSandbox() throws Exception {
        cortex.cortex("create", "taken").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private void refuses(String code, int status, String... words) throws Exception {
        CortexHome.Outcome human = cortex.cortex(words);
        assertThat(human.status()).as(String.join(" ", words)).isEqualTo(status);
        assertThat(human.stderr()).startsWith("cortex: ").contains("\n  ");
        assertThat(human.stdout()).isEmpty();

        String[] json = new String[words.length + 1];
        json[0] = "--json";
        System.arraycopy(words, 0, json, 1, words.length);
        CortexHome.Outcome machine = cortex.cortex(json);
        assertThat(machine.status()).isEqualTo(status);
        assertThat(machine.stdout())
                .contains("\"schema_version\":1", "\"kind\":\"error\"", "\"code\":\"" + code + "\"", "\"remedy\":\"");
    }

    @Test
    void anUnknownImage() throws Exception {
        refuses("NOT_FOUND", 1, "create", "b", "--image", "/no/such/image");
        assertThat(HttpDoor.to(cortex)
                        .post("/sandboxes", "{\"name\":\"b\",\"image\":\"/no/such/image\"}")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void aNameThatIsTaken() throws Exception {
        refuses("ALREADY_EXISTS", 1, "create", "taken");
        HttpDoor.Answer answer = HttpDoor.to(cortex).post("/sandboxes", "{\"name\":\"taken\"}");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.type()).startsWith("application/problem+json");
        assertThat(answer.body()).contains("\"code\":\"ALREADY_EXISTS\"", "\"remedy\":");
    }

    @Test
    void anIllegalTransition() throws Exception {
        refuses("ILLEGAL_TRANSITION", 1, "start", "taken");
        refuses("ILLEGAL_TRANSITION", 1, "rm", "taken");
    }

    @Test
    void aSandboxThatIsNotThere() throws Exception {
        refuses("NOT_FOUND", 1, "inspect", "takne");
        assertThat(cortex.cortex("exec", "nobody", "--", "true").status()).isEqualTo(125);
    }

    @Test
    void aWrongTokenOrNone() throws Exception {
        HttpDoor.Answer answer =
                HttpDoor.to(cortex).withToken("e2b_" + "0".repeat(40)).get("/sandboxes");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.body()).contains("UNAUTHENTICATED", "cortex token");
    }

    @Test
    void anUnknownSettingFieldOrParameterIsNamed() throws Exception {
        HttpDoor door = HttpDoor.to(cortex);
        assertThat(door.post("/sandboxes", "{\"nmae\":\"x\"}").body()).contains("INVALID_ARGUMENT", "nmae");
        assertThat(door.get("/sandboxes?al=true").body()).contains("INVALID_ARGUMENT", "al");
        refuses("INVALID_ARGUMENT", 2, "create", "b", "--memroy", "1G");
        assertThat(cortex.cortex("create", "b", "--memroy", "1G").stderr()).contains("--memory");
        assertThat(cortex.cortex("craete", "b").stderr()).contains("create");
    }

    @Test
    void aDriverThatIsNoIsolationIsRefusedWithoutConsent() throws Exception {
        refuses("DENIED", 1, "create", "b", "--driver", "process");
        assertThat(cortex.cortex("create", "b", "--driver", "process").stderr())
                .contains("CORTEX_ALLOW_INSECURE_PROCESS=1");
    }

    @Test
    void aProjectFileThatSetsWhatItMayNot() throws Exception {
        Path project = Files.createDirectories(cortex.folder().resolve("project/.cortex"));
        Files.createDirectories(cortex.folder().resolve("project/.git"));
        Files.writeString(project.resolve("config.yaml"), "driver: process\n");
        CortexHome.Outcome untrusted = cortex.shell("cd project && cortex create c");
        assertThat(untrusted.status()).isNotZero();
        assertThat(untrusted.stderr()).contains("driver", "cortex config trust");

        Files.writeString(project.resolve("config.yaml"), "port: 1234\n");
        CortexHome.Outcome daemonKey = cortex.shell("cd project && cortex create c");
        assertThat(daemonKey.status()).isNotZero();
        assertThat(daemonKey.stderr()).contains("port");

        Files.writeString(project.resolve("config.yaml"), "imaeg: x\n");
        assertThat(cortex.shell("cd project && cortex create c").stderr()).contains("imaeg", "image");
    }

    @Test
    void aPortThatIsTakenIsAnErrorOnlyWhereItWasAskedFor() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CortexHome second = CortexHome.open()) {
            CortexHome.Outcome asked = second.cortex("serve", "--port", Integer.toString(other.getLocalPort()));
            assertThat(asked.status()).isNotZero();
            assertThat(asked.stderr()).contains(Integer.toString(other.getLocalPort()));

            second.with("CORTEX_PORT", Integer.toString(other.getLocalPort()));
            second.cortex("ls").succeeded();
        }
    }

    @Test
    void aSecondOwnerOfAHomeIsTurnedAway() throws Exception {
        CortexHome.Outcome second = cortex.cortex("serve");

        assertThat(second.status()).isNotZero();
        assertThat(second.stderr()).contains(Long.toString(cortex.daemonPid()));
    }

    @Test
    void aMissingRuntimeIsNotReadyWithTheOneCommandThatHelps() throws Exception {
        try (CortexHome bare = CortexHome.open()) {
            Path programs = Files.createDirectories(bare.folder().resolve("programs"));
            for (String name :
                    new String[] {"find", "readlink", "id", "mktemp", "rm", "tail", "env", "cat", "stty", "dirname"}) {
                Path real = Path.of("/usr/bin", name);
                if (Files.exists(real)) {
                    Files.createSymbolicLink(programs.resolve(name), real);
                }
            }
            bare.with("PATH", programs.toString());
            CortexHome.Outcome outcome = bare.cortex("run", "--", "true");

            assertThat(outcome.status()).isEqualTo(125);
            assertThat(outcome.stdout()).isEmpty();
            assertThat(outcome.stderr())
                    .contains("crun is missing")
                    .contains("apt-get install -y --no-install-recommends crun");
        }
    }
}
