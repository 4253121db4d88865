package dev.cortex.images;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HostImageTest {
    private Path folder;

    private Path machine;
    private HostImage image;

    @BeforeEach
    void makeMachine() throws IOException {
        folder = Files.createTempDirectory("cortex-host-image");
        machine = Files.createDirectories(folder.resolve("machine"));
        Files.createDirectories(machine.resolve("usr/bin"));
        Files.createSymbolicLink(machine.resolve("bin"), Path.of("usr/bin"));
        Files.createDirectories(machine.resolve("lib64"));
        put("etc/services", "ssh 22/tcp\n", "rw-r--r--");
        put("etc/ssl/certs/ca.pem", "cert", "rw-r--r--");
        put("etc/ssl/private/key.pem", "secret", "rw-r--r--");
        put("etc/java-17-openjdk/security/java.security", "x", "rw-r--r--");
        put("etc/java-17-openjdk/security/password", "secret", "rw-------");
        put("etc/shadow", "secret", "rw-r--r--");
        put("etc/passwd", "ada:x:1000:1000::/home/ada:/bin/sh\n", "rw-r--r--");
        put("etc/npmrc", "//registry/:_authToken=secret", "rw-r--r--");
        put("home/ada/.ssh/id", "secret", "rw-r--r--");
        Files.createDirectories(machine.resolve("etc/alternatives"));
        Files.createSymbolicLink(machine.resolve("etc/alternatives/vi"), Path.of("/usr/bin/vim"));
        image = new HostImage(folder.resolve("images/host"), machine);
    }

    /** Not a TempDir, which warns of every link that leads out; a skeleton is full of them. */
    @AfterEach
    void deleteEverything() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private void put(String name, String content, String mode) throws IOException {
        Path path = machine.resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private Path skeleton() {
        return ((Image.Root.Host) image.resolve().root()).skeleton();
    }

    @Test
    void linksIntoUsrStayLinksAndARealFolderIsShown() {
        Image.Root.Host host = (Image.Root.Host) image.resolve().root();
        assertThat(host.skeleton().resolve("bin")).isSymbolicLink();
        assertThat(host.skeleton().resolve("lib64")).isDirectory();
        assertThat(host.shown()).containsExactly(machine.resolve("usr"), machine.resolve("lib64"));
        assertThat(image.resolve().digest()).isEmpty();
    }

    @Test
    void programsFindWhatTheyNeedOfEtc() throws IOException {
        Path etc = skeleton().resolve("etc");
        assertThat(etc.resolve("services")).hasContent("ssh 22/tcp");
        assertThat(etc.resolve("ssl/certs/ca.pem")).hasContent("cert");
        assertThat(etc.resolve("java-17-openjdk/security/java.security")).exists();
        assertThat(Files.readSymbolicLink(etc.resolve("alternatives/vi"))).isEqualTo(Path.of("/usr/bin/vim"));
        assertThat(etc.resolve("machine-id")).isEmptyFile();
        assertThat(etc.resolve("nsswitch.conf")).content().contains("hosts: files\n");
    }

    @Test
    void nothingOfPeopleNorWhatNotEverybodyMayReadGetsIn() throws IOException {
        Path made = skeleton();
        assertThat(made.resolve("etc/passwd"))
                .content()
                .contains("agent:*:1000:")
                .doesNotContain("ada");
        assertThat(made.resolve("etc/shadow")).doesNotExist();
        assertThat(made.resolve("etc/npmrc")).doesNotExist();
        assertThat(made.resolve("etc/ssl/private")).doesNotExist();
        assertThat(made.resolve("etc/java-17-openjdk/security/password")).doesNotExist();
        assertThat(made.resolve("home")).isEmptyDirectory();
        assertThat(made.resolve("usr")).isEmptyDirectory();
        assertThat(allFiles(made)).noneMatch(path -> contains(path, "secret"));
    }

    @Test
    void theFilesAreCopies() throws IOException {
        Object original = Files.getAttribute(machine.resolve("etc/services"), "unix:ino");
        assertThat(Files.getAttribute(skeleton().resolve("etc/services"), "unix:ino"))
                .isNotEqualTo(original);
    }

    @Test
    void theSkeletonIsMadeOnceAndAnewWhenTheMachineChanges() throws IOException {
        Path first = skeleton();
        assertThat(skeleton()).isEqualTo(first);
        put("etc/services", "ssh 22/tcp\nhttp 80/tcp\n", "rw-r--r--");
        Path second = skeleton();
        assertThat(second).isNotEqualTo(first);
        assertThat(second.resolve("etc/services")).content().contains("http");
        assertThat(first.resolve("etc/services")).content().doesNotContain("http");
    }

    @Test
    void aFileThatIsAddedOrReplacedDeepDownIsNoticed() throws IOException {
        Path first = skeleton();
        put("etc/ssl/certs/new.pem", "cert", "rw-r--r--");
        Path second = skeleton();
        assertThat(second.resolve("etc/ssl/certs/new.pem")).exists();
        put("etc/ssl/certs/ca.pem.new", "another", "rw-r--r--");
        Files.move(
                machine.resolve("etc/ssl/certs/ca.pem.new"),
                machine.resolve("etc/ssl/certs/ca.pem"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(skeleton().resolve("etc/ssl/certs/ca.pem")).hasContent("another");
        assertThat(first.resolve("etc/ssl/certs/ca.pem")).hasContent("cert");
    }

    @Test
    void aSkeletonThatSomebodyDeletedIsMadeAgain() throws IOException {
        Path first = skeleton();
        Files.move(first, folder.resolve("away"));
        assertThat(skeleton().resolve("etc/services")).exists();
    }

    @Test
    void nothingIsLeftOfASkeletonThatFailed() throws IOException {
        skeleton();
        try (Stream<Path> made = Files.list(folder.resolve("images/host"))) {
            assertThat(made).noneMatch(path -> path.getFileName().toString().startsWith("."));
        }
    }

    @Test
    void everybodyMayReadEverythingWhateverTheUmask() throws IOException {
        for (Path path : allFiles(skeleton())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .endsWith("r--");
        }
    }

    private static List<Path> allFiles(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    private static boolean contains(Path path, String text) {
        try {
            return Files.readString(path).contains(text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
