package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import dev.cortex.testkit.driver.Leftovers;
import dev.cortex.testkit.driver.Shell;
import dev.cortex.testkit.driver.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sandboxes of archives and folders, unpacked by the real launcher. Needs root, crun and tar. */
final class OciImagesIT {
    @TempDir
    private static Path folder;

    private static Path plain;
    private static Path compressed;

    @BeforeAll
    static void makeArchives() throws IOException, InterruptedException {
        plain = RootArchive.make(Files.createDirectories(folder.resolve("a")), false);
        compressed = RootArchive.make(Files.createDirectories(folder.resolve("b")), true);
    }

    private static void assertItsFilesAreRight(Shell shell) {
        assertThat(shell.run("cat /var/lib/app/data; stat -c '%u:%g' /var/lib/app/data /etc/passwd; id -un")
                        .output())
                .isEqualTo("of the image\n77:78\n0:0\nagent\n");
        assertThat(shell.run("root", "touch /var/lib/app/more /usr/bin/more && ls /etc/hosts /etc/resolv.conf")
                        .ok())
                .isTrue();
        assertThat(shell.run("touch /var/lib/app/mine").ok()).isFalse();
        assertThat(shell.run("/usr/bin/python3 -V").ok()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anArchiveIsASandboxesRootWithTheOwnersThatItNames(boolean gzip) {
        Path archive = gzip ? compressed : plain;
        try (OciSubject subject = new OciSubject(archive.toString());
                Trial trial = new Trial(subject, 0);
                Shell shell = trial.shell(trial.start())) {
            assertThat(trial.request().image().digest())
                    .hasValueSatisfying(digest -> assertThat(digest).startsWith("sha256:"));
            assertItsFilesAreRight(shell);
        }
    }

    @Test
    void aFolderIsARootThatIsNeverWritten() throws IOException {
        Path root = plain.resolveSibling("root");
        int before = Leftovers.files(root).size();
        try (OciSubject subject = new OciSubject(root.toString());
                Trial trial = new Trial(subject, 0);
                Shell shell = trial.shell(trial.start())) {
            assertItsFilesAreRight(shell);
        }
        assertThat(Leftovers.files(root)).hasSize(before);
    }

    @Test
    void twoSandboxesOfOneArchiveShareItAndSeeNothingOfEachOther() {
        try (OciSubject subject = new OciSubject(plain.toString());
                Trial one = new Trial(subject, 0);
                Trial two = new Trial(subject, 1);
                Shell a = one.shell(one.start());
                Shell b = two.shell(two.start())) {
            assertThat(one.request().image().root())
                    .isEqualTo(two.request().image().root());
            assertThat(a.run("root", "echo changed >/var/lib/app/data").ok()).isTrue();
            assertThat(b.run("cat /var/lib/app/data").output()).isEqualTo("of the image\n");
        }
    }

    @Test
    void whatIsNoArchiveIsRefusedAndLeavesNothing() throws IOException {
        Path odd = Files.writeString(folder.resolve("odd.tar"), "this is no archive");
        try (OciSubject subject = new OciSubject(odd.toString())) {
            CortexException error = catchThrowableOfType(CortexException.class, subject::image);
            assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(subject.imageFiles()).isEmpty();
        }
    }

    @Test
    void anArchiveThatLeadsOutIsRefusedByTheNameOfItsEntry() throws IOException, InterruptedException {
        Path evil = folder.resolve("evil.tar");
        Path outside = Files.writeString(folder.resolve("outside"), "x");
        Process tar = new ProcessBuilder(
                        "tar", "-P", "--transform", "s,.*,../../escaped,", "-cf", evil.toString(), outside.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).isZero();
        try (OciSubject subject = new OciSubject(evil.toString())) {
            CortexException error = catchThrowableOfType(CortexException.class, subject::image);
            assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(error).hasMessageContaining("escaped");
            assertThat(subject.imageFiles()).isEmpty();
        }
    }

    @Test
    void theDigestNamesAnArchiveThatIsGoneSince() throws IOException {
        Path copy = Files.copy(plain, folder.resolve("copy.tar"));
        try (OciSubject subject = new OciSubject(copy.toString())) {
            Image first = subject.image();
            Files.delete(copy);
            assertThat(subject.resolve(first.digest().orElseThrow()).root()).isEqualTo(first.root());
        }
    }
}
