package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code cortex doctor} where nothing is installed: a mount namespace that hides what lies at fixed places, a PATH with
 * the few programs of the script, and a home that does not exist. Its package manager writes down what it is asked for,
 * and installs crun alone.
 */
final class BareMachineIT {
    private static final int ORDINARY = 61_235;
    private static final String INSTALL = "apt-get install -y --no-install-recommends ";

    private Path folder;
    private Path programs;
    private Path home;

    @BeforeEach
    void strip() throws IOException {
        folder = Files.createTempDirectory("cortex-bare");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        programs = Files.createDirectory(folder.resolve("programs"));
        home = folder.resolve("home");
        for (String name : List.of("sh", "find", "readlink", "id", "mktemp", "rm", "tail")) {
            Files.createSymbolicLink(programs.resolve(name), Path.of("/usr/bin", name));
        }
        script("apt-get", "echo \"$*\" >>'" + folder + "/asked'; ln -s /usr/bin/crun '" + programs + "/crun' 2>&1");
    }

    private void script(String name, String body) throws IOException {
        Files.writeString(programs.resolve(name), "#!/bin/sh\nPATH=/usr/bin\n" + body + "\n");
        Files.setPosixFilePermissions(programs.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void leaveNothing() throws Exception {
        assertThat(new ProcessBuilder("rm", "-rf", folder.toString()).start().waitFor())
                .isZero();
    }

    @Test
    void eachThingThatIsMissingStandsWithItsFix() throws Exception {
        Ended page = bare("doctor");
        assertThat(page.status()).as(page.toString()).isEqualTo(1);
        assertThat(page.stderr()).isEmpty();
        assertThat(fixOf(page, "gVisor is missing")).isEqualTo("cortex doctor --fix");
        assertThat(fixOf(page, "crun is missing")).isEqualTo(INSTALL + "crun");
        assertThat(fixOf(page, "runc is missing")).isEqualTo(INSTALL + "runc");
        assertThat(page.stdout())
                .contains("git is missing", "fix: " + INSTALL + "git")
                .containsPattern("disks: plain folders .*; fix: (" + "apt-get install -y btrfs-progs|modprobe )"
                        + "|disks: plain folders .*Linux 6\\.7")
                .doesNotContain("chosen by auto");

        Ended json = bare("doctor", "--json");
        assertThat(json.status()).isEqualTo(1);
        assertThat(json.stdout())
                .hasLineCount(1)
                .contains("\"auto\":\"\"")
                .contains("{\"what\":\"crun is missing\",\"fix\":\"" + INSTALL + "crun\",\"fixable\":true}")
                .contains("{\"what\":\"runc is missing\",\"fix\":\"" + INSTALL + "runc\",\"fixable\":true}")
                .contains("{\"what\":\"gVisor is missing\",\"fix\":\"cortex doctor --fix\",\"fixable\":false}")
                .contains("git is missing");
        assertThat(home).as("looking makes nothing").doesNotExist();
    }

    @Test
    void withoutConsentAFixIsNamedAndNotRun() throws Exception {
        Ended fix = bare("doctor", "--fix");
        assertThat(fix.status()).isEqualTo(1);
        assertThat(fix.stderr())
                .contains("nothing was changed", "    " + INSTALL + "crun\n", "cortex doctor --fix --yes")
                .doesNotContain("running:");
        assertThat(fix.stdout()).contains("crun is missing");
        assertThat(folder.resolve("asked")).doesNotExist();
        assertThat(home).doesNotExist();
    }

    @Test
    void withConsentTheChosenDriverIsReadyAndTheRestIsNoted() throws Exception {
        Ended fix = bare("doctor", "--fix", "--yes");
        assertThat(Files.readAllLines(folder.resolve("asked")))
                .containsExactly("install -y --no-install-recommends crun");
        assertThat(fix.status()).as(fix.toString()).isZero();
        assertThat(fix.stdout())
                .containsPattern("oci/crun +ready +chosen by auto")
                .contains("runc is missing");
    }

    @Test
    void anOrdinaryUserIsToldWhatRootMustDo() throws Exception {
        Ended page = bareForAUser("doctor");
        assertThat(page.status()).as(page.toString()).isEqualTo(1);
        assertThat(page.stderr()).isEmpty();
        assertThat(fixOf(page, "crun is missing")).isEqualTo("su -c '" + INSTALL + "crun'");
        assertThat(fixOf(page, "newuidmap or newgidmap is missing")).isEqualTo("su -c '" + INSTALL + "uidmap'");
        assertThat(page.stdout())
                .contains("subordinate uids", "usermod --add-subuids 100000-165535")
                .contains("subordinate gids", "usermod --add-subgids 100000-165535")
                .contains("git is missing", "fix: su -c '" + INSTALL + "git'")
                .contains("only root can limit disks");

        script("sudo", "echo \"sudo $*\" >>'" + folder + "/asked'");
        Ended fix = bareForAUser("doctor", "--fix");
        assertThat(fix.status()).isEqualTo(1);
        assertThat(fix.stderr())
                .contains("    sudo " + INSTALL + "crun\n", "    sudo " + INSTALL + "uidmap\n")
                .doesNotContain("running:");
        assertThat(folder.resolve("asked")).doesNotExist();
    }

    private static String fixOf(Ended page, String what) {
        List<String> lines = page.stdout().lines().toList();
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (lines.get(i).endsWith(what)) {
                return lines.get(i + 1).strip().replaceFirst("^fix: ", "");
            }
        }
        throw new AssertionError(what + " is not told in: " + page);
    }

    private record Ended(int status, String stdout, String stderr) {}

    private Ended bare(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(CortexHome.script().toString()));
        command.addAll(List.of(words));
        return run("exec \"$@\"", command);
    }

    /** The jars are copied to where that user can read them; the script would not take them from there. */
    private Ended bareForAUser(String... words) throws Exception {
        Path install = CortexHome.script().resolveSibling("out");
        Path copy = folder.resolve("install");
        if (!Files.exists(copy)) {
            String script = "mkdir '%2$s' && cp -r '%1$s/bin' '%1$s/lib' '%2$s' && chmod -R a+rX '%2$s'";
            assertThat(new ProcessBuilder("sh", "-c", script.formatted(install, copy))
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-Dcortex.install=" + copy, "-cp", classPath(copy), "dev.cortex.daemon.Doctor"));
        command.addAll(List.of(words));
        return run(
                "exec /usr/bin/setpriv --reuid %1$d --regid %1$d --clear-groups \"$@\"".formatted(ORDINARY), command);
    }

    private static String classPath(Path install) throws IOException {
        try (Stream<Path> jars = Files.list(install.resolve("lib/daemon"))) {
            return String.join(":", jars.map(Path::toString).toList());
        }
    }

    /** Where mkfs.btrfs lies at a fixed place there is a file that cannot be run. */
    private Ended run(String last, List<String> words) throws Exception {
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c"));
        command.add("for f in /usr/sbin /sbin /usr/local/sbin; do [ ! -e $f/mkfs.btrfs ]"
                + " || mount --bind /dev/null $f/mkfs.btrfs || exit 99; done; export PATH='" + programs + "'; " + last);
        command.add("sh");
        command.addAll(words);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        String path = System.getenv("PATH");
        builder.environment().clear();
        builder.environment().put("PATH", path == null ? "/usr/bin:/bin" : path);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("CORTEX_HOME", home.toString());
        Process process = builder.start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(words + " did not end");
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
