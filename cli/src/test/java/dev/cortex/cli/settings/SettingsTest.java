package dev.cortex.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.Parser;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SettingsTest {
    @TempDir
    Path temp;

    private final Map<String, String> variables = new HashMap<>();
    private Path repository = Path.of("/");
    private Path inside = Path.of("/");
    private Home home = new Home(Path.of("/"), Path.of("/"));

    @BeforeEach
    void makeFolders() throws Exception {
        repository = temp.resolve("repo");
        inside = Files.createDirectories(repository.resolve("src/deep"));
        Files.createDirectories(repository.resolve(".git"));
        Files.createDirectories(repository.resolve(".cortex"));
        home = new Home(Files.createDirectories(temp.resolve("home")), temp.resolve("run"));
    }

    private Settings resolve(String... words) throws Exception {
        List<Word> all = new ArrayList<>();
        for (String word : words) {
            all.add(Word.of(word));
        }
        Invocation invocation = Parser.parse(all);
        return Settings.resolve(invocation, surroundings());
    }

    private Settings.Surroundings surroundings() {
        return new Settings.Surroundings(name -> variables.getOrDefault(name, ""), inside, home);
    }

    private Json request(String... words) throws Exception {
        Json.Building request = Json.object();
        resolve(words).apply(request, true);
        return request.build();
    }

    private void project(String yaml) throws Exception {
        Files.writeString(repository.resolve(".cortex/config.yaml"), yaml);
    }

    private void homeFile(String yaml) throws Exception {
        Files.writeString(home.settings(), yaml);
    }

    private static CortexException refused(ThrowingCall call) {
        try {
            call.run();
        } catch (CortexException e) {
            return e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("it was accepted");
    }

    private interface ThrowingCall {
        void run() throws Exception;
    }

    @Test
    void nothingThatNobodySetIsSent() throws Exception {
        assertThat(request("run", "x").members()).isEmpty();
        assertThat(resolve("run", "x").values().get("image").source()).isEqualTo("default");
    }

    @Test
    void aFlagGoesBeforeAVariableBeforeTheProjectBeforeTheHome() throws Exception {
        homeFile("image: /img/home\nlimits:\n  memory: 1G\n  cpus: 3\n");
        assertThat(request("run", "x").get("image").text()).isEqualTo("/img/home");
        project("image: /img/project\nlimits: {memory: 2G}\n");
        assertThat(request("run", "x").get("image").text()).isEqualTo("/img/project");
        assertThat(request("run", "x").get("memory_bytes").whole()).isEqualTo(2L << 30);
        assertThat(request("run", "x").get("cpus").decimal()).isEqualTo(3);
        variables.put("CORTEX_IMAGE", "/img/variable");
        assertThat(request("run", "x").get("image").text()).isEqualTo("/img/variable");
        assertThat(request("run", "--image", "/img/flag", "x").get("image").text())
                .isEqualTo("/img/flag");
        assertThat(resolve("run", "x").values().get("image").source()).isEqualTo("CORTEX_IMAGE");
    }

    @Test
    void theDriverHasAnOlderNameAndMayNameItsRuntime() throws Exception {
        variables.put("CORTEX_MODE", "process");
        assertThat(request("run", "x").get("driver").text()).isEqualTo("process");
        variables.put("CORTEX_DRIVER", "oci/crun");
        assertThat(request("run", "x").get("driver").text()).isEqualTo("oci");
        assertThat(request("run", "x").get("runtime").text()).isEqualTo("crun");
    }

    @Test
    void aPathBecomesAbsoluteFromWhereItWasWritten() throws Exception {
        project("image: ./rootfs\n");
        assertThat(request("run", "x").get("image").text())
                .isEqualTo(repository.resolve("rootfs").toString());
        assertThat(request("run", "--image", "./rootfs", "x").get("image").text())
                .isEqualTo(inside.resolve("rootfs").toString());
        assertThat(request("run", "--image", "host", "x").get("image").text()).isEqualTo("host");
        assertThat(request("run", "--image", "python", "x").get("image").text()).isEqualTo("python");
    }

    @Test
    void aProjectsFileSetsImageAndLimitsOnly() throws Exception {
        project("driver: process\nenv:\n  A: b\nimage: host\n");
        CortexException refusal = refused(() -> resolve("run", "x"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.DENIED);
        assertThat(refusal.getMessage()).contains("driver").contains("env.A").doesNotContain("image");
        assertThat(refusal.remedy().orElse("")).contains("cortex config trust");
    }

    @Test
    void aTrustedFileSetsMoreUntilItChanges() throws Exception {
        project("driver: process\nenv:\n  A: b\n");
        new Trust(home.folder()).add(surroundings().projectFile().orElseThrow());
        assertThat(request("run", "x").get("driver").text()).isEqualTo("process");
        assertThat(resolve("run", "x").environment(List.of()).get("A").text()).isEqualTo("b");
        project("driver: process\nenv:\n  A: c\n");
        assertThat(refused(() -> resolve("run", "x")).code()).isEqualTo(ErrorCode.DENIED);
    }

    @Test
    void aProjectsFileNeverSetsWhatIsTheDaemons() throws Exception {
        project("daemon:\n  port: 4000\n");
        CortexException refusal = refused(() -> resolve("run", "x"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal.getMessage()).contains("daemon.port");
        homeFile("daemon:\n  port: 4000\n");
        project("image: host\n");
        assertThat(resolve("run", "x").values().get("daemon.port").value()).isEqualTo("4000");
    }

    @Test
    void everyProblemIsReportedTogetherByName() throws Exception {
        project("imgae: x\nmode: oci\nlimits:\n  memory: lots\nservices: [a]\n");
        homeFile("daemon:\n  prot: 1\n");
        String message = refused(() -> resolve("run", "x")).getMessage();
        assertThat(message.lines()).hasSize(5);
        assertThat(message)
                .contains("'imgae' is unknown, did you mean 'image'")
                .contains("'mode' is now called 'driver'")
                .contains("'limits.memory' 'lots' is no size")
                .contains("'services' is not in this version yet")
                .contains("'daemon.prot' is unknown, did you mean 'daemon.port'");
    }

    @Test
    void whatIsNoYamlIsSaidWithItsLine() throws Exception {
        project("image: host\n  bad: [\n");
        assertThat(refused(() -> resolve("run", "x")).getMessage())
                .contains("is not YAML")
                .contains("line");
        project("- a\n- b\n");
        assertThat(refused(() -> resolve("run", "x")).getMessage()).contains("KEY: VALUE");
        project("image: a\nimage: b\n");
        assertThat(refused(() -> resolve("run", "x")).getMessage()).contains("is not YAML");
    }

    @Test
    void aFileThatGrowsByAliasesOrIsTooLongIsRefused() throws Exception {
        project("limits: &a {memory: 1G}\nenv: {x: *a}\n");
        assertThat(refused(() -> resolve("run", "x")).getMessage()).contains("is not YAML");
        project("#" + "x".repeat(70_000));
        assertThat(refused(() -> resolve("run", "x")).getMessage()).contains("longer than");
    }

    @Test
    void anEmptyFileSaysNothing() throws Exception {
        project("# nothing yet\n");
        assertThat(request("run", "x").members()).isEmpty();
    }

    @Test
    void theNearestFileUpToTheRepositorysRootCounts() throws Exception {
        Files.createDirectories(temp.resolve(".cortex"));
        Files.writeString(temp.resolve(".cortex/config.yaml"), "image: /outside\n");
        assertThat(request("run", "x").members()).isEmpty();
        project("image: /root-of-it\n");
        assertThat(request("run", "x").get("image").text()).isEqualTo("/root-of-it");
        Files.createDirectories(repository.resolve("src/.cortex"));
        Files.writeString(repository.resolve("src/.cortex/config.yaml"), "image: /nearer\n");
        assertThat(request("run", "x").get("image").text()).isEqualTo("/nearer");
    }

    @Test
    void withoutARepositoryOnlyTheFolderItselfCounts() throws Exception {
        Path loose = Files.createDirectories(temp.resolve("loose/below"));
        Files.createDirectories(temp.resolve("loose/.cortex"));
        Files.writeString(temp.resolve("loose/.cortex/config.yaml"), "image: /planted\n");
        assertThat(Project.file(loose)).isEmpty();
        assertThat(Project.file(temp.resolve("loose"))).isPresent();
    }

    @Test
    void badValuesAreRefusedByTheirSource() throws Exception {
        variables.put("CORTEX_MEMORY", "lots");
        assertThatThrownBy(() -> request("run", "x")).hasMessageContaining("CORTEX_MEMORY 'lots' is no size");
        variables.clear();
        assertThatThrownBy(() -> request("run", "--cpus", "0", "x")).hasMessageContaining("--cpus '0'");
        assertThatThrownBy(() -> request("run", "--driver", "ocy", "x")).hasMessageContaining("no driver 'ocy'");
        assertThatThrownBy(() -> request("run", "--pids", "1.5", "x")).hasMessageContaining("--pids '1.5'");
    }

    @Test
    void aSettingIsChangedInItsFileAndCommentsStay() throws Exception {
        HomeSettings settings = new HomeSettings(home);
        settings.change("image", Optional.of("host"));
        settings.change("limits.memory", Optional.of("3G"));
        settings.change("limits.cpus", Optional.of("2"));
        assertThat(Files.readString(home.settings())).isEqualTo("image: host\nlimits:\n  memory: 3G\n  cpus: 2\n");
        homeFile("# mine\nimage: host # why\nlimits:\n    # enough\n    memory: 3G\nenv:\n  A: 'x y'\n");
        settings.change("limits.memory", Optional.of("4G"));
        settings.change("env.B", Optional.of("it's: 1"));
        settings.change("image", Optional.empty());
        assertThat(Files.readString(home.settings()))
                .isEqualTo("# mine\nlimits:\n    # enough\n    memory: 4G\nenv:\n  A: 'x y'\n  B: 'it''s: 1'\n");
        settings.change("env.A", Optional.empty());
        settings.change("env.B", Optional.empty());
        assertThat(Files.readString(home.settings())).isEqualTo("# mine\nlimits:\n    # enough\n    memory: 4G\n");
    }

    @Test
    void aChangeThatWouldBreakTheFileIsRefused() throws Exception {
        homeFile("image: host\n");
        HomeSettings settings = new HomeSettings(home);
        assertThat(refused(() -> settings.change("limits.memory", Optional.of("lots")))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused(() -> settings.change("imgae", Optional.of("x"))).getMessage())
                .contains("imgae");
        assertThat(Files.readString(home.settings())).isEqualTo("image: host\n");
    }

    @Test
    void theEnvironmentOfFilesAndFlagsIsOne() throws Exception {
        homeFile("env:\n  A: home\n  B: home\n");
        Json environment = resolve("create", "x").environment(List.of(Word.of("B=flag"), Word.of("C=1=2")));
        assertThat(environment.get("A").text()).isEqualTo("home");
        assertThat(environment.get("B").text()).isEqualTo("flag");
        assertThat(environment.get("C").text()).isEqualTo("1=2");
        Word broken = Word.of(new byte[] {'K', '=', (byte) 0xff});
        assertThatThrownBy(() -> resolve("create", "x").environment(List.of(broken)))
                .hasMessageContaining("not UTF-8");
        assertThat(broken.bytes()).isNotEqualTo("K=\ufffd".getBytes(StandardCharsets.UTF_8));
    }
}
