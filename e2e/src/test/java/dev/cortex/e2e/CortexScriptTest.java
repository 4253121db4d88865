package dev.cortex.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.cli.command.Flag;
import dev.cortex.cli.command.Verbs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./cortex} does before the JVM takes over. */
final class CortexScriptTest {
    @TempDir
    Path folder;

    private ScriptFixture fixture;

    @BeforeEach
    void aTreeThatIsBuilt() throws IOException {
        fixture = ScriptFixture.in(folder);
    }

    @Test
    void aFreshTreeIsNotBuiltAndNothingIsSaid() throws Exception {
        ScriptFixture.Outcome outcome = fixture.run("ls");
        assertThat(outcome.status()).isZero();
        assertThat(outcome.stderr()).isEmpty();
        assertThat(fixture.builds()).isEmpty();
    }

    @Test
    void argumentsReachTheMainUnchanged() throws Exception {
        assertThat(fixture.run("exec", "api", "--", "printf", "", "a b", "*", "--yes")
                        .words())
                .endsWith("[exec]", "[api]", "[--]", "[printf]", "[]", "[a b]", "[*]", "[--yes]");
    }

    @Test
    void theMainIsToldWhereItIsInstalled() throws Exception {
        assertThat(fixture.run("ls").words())
                .contains(
                        "[-Dcortex.install=" + fixture.root() + "/out]",
                        "[-Dcortex.script=" + fixture.root() + "/cortex]");
    }

    @ParameterizedTest
    @CsvSource({
        "serve, dev.cortex.daemon.Serve, daemon.jar",
        "--json serve, dev.cortex.daemon.Serve, daemon.jar",
        "--home /h serve --port 0, dev.cortex.daemon.Serve, daemon.jar",
        "doctor, dev.cortex.daemon.Doctor, daemon.jar",
        "ls, dev.cortex.cli.Cortex, cli.jar",
        "exec serve, dev.cortex.cli.Cortex, cli.jar",
        "exec a -- doctor, dev.cortex.cli.Cortex, cli.jar",
        "-- serve, dev.cortex.cli.Cortex, cli.jar",
    })
    void theVerbPicksTheMain(String line, String main, String classPath) throws Exception {
        assertThat(fixture.run(line.split(" ")).words())
                .containsSequence("[-cp]", "[" + classPath + "]", "[" + main + "]");
    }

    @Test
    void aStartUpCacheIsUsedWhereThereIsOne() throws Exception {
        Files.createDirectory(fixture.root().resolve("out/aot"));
        Files.writeString(fixture.root().resolve("out/aot/cli.cortex.aot"), "");
        String flag = "[-XX:AOTCache=" + fixture.root() + "/out/aot/cli.cortex.aot]";
        assertThat(fixture.run("ls").words()).contains(flag);
        assertThat(fixture.run("serve").words()).doesNotContain(flag);
    }

    @Test
    void worksThroughALinkFromAnotherFolder() throws Exception {
        Path link = Files.createSymbolicLink(
                folder.resolve("cortex"), fixture.root().resolve("cortex"));
        assertThat(fixture.runAs(link, "ls").words()).contains("[-Dcortex.install=" + fixture.root() + "/out]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"pom.xml", "dev", "cli/pom.xml", "cli/src/main/java/New.java", "native/new.go", "scripts/jvm.sh"
            })
    void aSourceNewerThanTheBuildIsBuiltFirst(String source) throws Exception {
        Path file = fixture.root().resolve(source);
        if (!Files.exists(file)) {
            Files.writeString(file, "");
        }
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(fixture.run("ls").status()).isZero();
        assertThat(fixture.builds()).containsExactly("build --unless-fresh");
    }

    @Test
    void aKeyThatIsPressedInAShellBuildsNothing() throws Exception {
        Files.setLastModifiedTime(
                fixture.root().resolve("pom.xml"), FileTime.from(Instant.now().plusSeconds(5)));
        ScriptFixture.Outcome stale = fixture.run("completion", "words", "--", "ex");
        assertThat(stale.words()).endsWith("[completion]", "[words]", "[--]", "[ex]");
        Files.delete(fixture.root().resolve("out/java-home"));
        ScriptFixture.Outcome neverBuilt = fixture.run("completion", "words", "--", "ex");
        assertThat(neverBuilt.status()).isEqualTo(1);
        assertThat(neverBuilt.stdout() + neverBuilt.stderr()).isEmpty();
        assertThat(fixture.builds()).isEmpty();
    }

    @Test
    void aTreeThatWasMovedIsBuiltAnew() throws Exception {
        Files.writeString(fixture.root().resolve("out/stamp"), "/somewhere/else\n");
        fixture.run("ls");
        assertThat(fixture.builds()).hasSize(1);
    }

    @Test
    void aJdkThatIsGoneIsLookedForAgain() throws Exception {
        Files.writeString(fixture.root().resolve("out/java-home"), "/nowhere\n");
        fixture.run("ls");
        assertThat(fixture.builds()).hasSize(1);
    }

    @Test
    void aFailedBuildEndsWith125AndAnEmptyStdout() throws Exception {
        Files.delete(fixture.root().resolve("out/stamp"));
        ScriptFixture.Outcome outcome = fixture.with("DEV_STATUS", "1").run("run", "--", "true");
        assertThat(outcome.status()).isEqualTo(125);
        assertThat(outcome.stdout()).isEmpty();
    }

    @Test
    void withoutConsentNothingIsInstalled() throws Exception {
        assertThat(fixture.run("run", "--", "true", "--yes").status()).isZero();
        assertThat(fixture.packageCalls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run --yes -- true",
                "--yes create api",
                "start -y api",
                "run --name x -e A=B --yes true",
                "run --driver oci --yes -- true"
            })
    void withConsentTheMissingRuntimeIsInstalled(String line) throws Exception {
        ScriptFixture.Outcome outcome = fixture.run(line.split(" "));
        assertThat(outcome.stdout()).startsWith("[-XX:");
        assertThat(fixture.packageCalls().getFirst()).startsWith("install -y --no-install-recommends crun");
    }

    static Stream<String> flagsThatTakeAValue() {
        return Stream.of("run", "create", "start")
                .flatMap(verb -> Verbs.named(verb).orElseThrow().flags().stream())
                .flatMap(CortexScriptTest::spellings)
                .distinct();
    }

    static Stream<String> globalFlagsThatTakeAValue() {
        return Verbs.GLOBAL.stream().flatMap(CortexScriptTest::spellings);
    }

    private static Stream<String> spellings(Flag flag) {
        Stream<String> words = Stream.of("--" + flag.name(), "--" + flag.alias(), "-" + flag.letter());
        return flag.takesValue() ? words.filter(word -> word.matches("--?[A-Za-z][a-z-]*")) : Stream.empty();
    }

    @ParameterizedTest
    @MethodSource({"flagsThatTakeAValue", "globalFlagsThatTakeAValue"})
    void theValueOfAFlagIsNotTakenForTheCommand(String flag) throws Exception {
        fixture.run("run", flag, "oci", "--yes", "true");
        assertThat(fixture.packageCalls()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("globalFlagsThatTakeAValue")
    void theValueOfAFlagIsNotTakenForTheVerb(String flag) throws Exception {
        assertThat(fixture.run(flag, "auto", "serve").words()).contains("[dev.cortex.daemon.Serve]");
    }

    @Test
    void continuousIntegrationConsents() throws Exception {
        fixture.with("CI", "true").run("run", "--", "true");
        assertThat(fixture.packageCalls()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls --yes",
                "run --yes --help",
                "create api --yes -h",
                "run apt-get install --yes",
                "run --driver process --yes -- true",
                "run --mode=process --yes -- true",
                "exec api --yes"
            })
    void aVerbThatNeedsNoRuntimeInstallsNone(String line) throws Exception {
        fixture.run(line.split(" "));
        assertThat(fixture.packageCalls()).isEmpty();
    }

    @Test
    void whatIsThereIsNotInstalledAgain() throws Exception {
        fixture.installed("crun");
        fixture.installed("newuidmap");
        fixture.run("run", "--yes", "--", "true");
        assertThat(fixture.packageCalls()).isEmpty();
    }
}
