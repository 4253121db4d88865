package dev.cortex.protocol.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HomeTest {
    @Test
    void theDefaultHomeDependsOnWhoAsks() {
        assertThat(Home.current(Map.of(), 0, "/root").folder()).isEqualTo(Path.of("/var/lib/cortex"));
        assertThat(Home.current(Map.of(), 1000, "/home/ada").folder())
                .isEqualTo(Path.of("/home/ada/.local/share/cortex"));
        assertThat(Home.current(Map.of("HOME", "/elsewhere"), 1000, "/home/ada").folder())
                .isEqualTo(Path.of("/elsewhere/.local/share/cortex"));
        assertThat(Home.current(Map.of("HOME", "odd"), 1000, "/home/ada").folder())
                .isEqualTo(Path.of("/home/ada/.local/share/cortex"));
        assertThat(Home.current(Map.of("CORTEX_HOME", "/srv/c"), 1000, "/home/ada")
                        .folder())
                .isEqualTo(Path.of("/srv/c"));
    }

    @Test
    void theRunFolderCarriesTheFirstDigitsOfTheHomesDigest() {
        // printf %s /var/lib/cortex | sha256sum
        String digits = "1f8cb022";
        assertThat(Home.current(Map.of("XDG_RUNTIME_DIR", "/run/user/0"), 0, "/root")
                        .socket())
                .isEqualTo(Path.of("/run/cortex/" + digits + "/cortex.sock"));
        Path same = Path.of("/var/lib/../lib/cortex/");
        assertThat(Home.at(same, Map.of("XDG_RUNTIME_DIR", "/run/user/1000"), 1000)
                        .runFolder())
                .isEqualTo(Path.of("/run/user/1000/cortex/" + digits));
        assertThat(Home.at(same, Map.of(), 1000).runFolder()).isEqualTo(Path.of("/tmp/cortex-1000/" + digits));
    }

    @Test
    void aSocketPathThatNoAddressHoldsIsNotOffered() {
        Home home = new Home(Path.of("/h"), Path.of("/" + "x".repeat(100)));
        assertThat(home.reachableSocket()).isEmpty();
        assertThat(Home.at(Path.of("/h"), Map.of(), 0).reachableSocket()).isPresent();
    }

    @Test
    void aRunFolderIsMadePrivateAndMadeOnce(@TempDir Path temp) throws Exception {
        Home home = new Home(temp.resolve("home"), temp.resolve("run/cortex/12345678"));
        home.makeRunFolder();
        home.makeRunFolder();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.runFolder())))
                .isEqualTo("rwx------");
    }

    @Test
    void aRunFolderThatOthersMayWriteIsRefused(@TempDir Path temp) throws Exception {
        Home home = new Home(temp.resolve("home"), temp.resolve("cortex-1/12345678"));
        home.makeRunFolder();
        Files.setPosixFilePermissions(temp.resolve("cortex-1"), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(home::requireOwn)
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DENIED));
    }

    @Test
    void aRunFolderThatIsALinkIsRefused(@TempDir Path temp) throws Exception {
        Files.createDirectories(temp.resolve("elsewhere/12345678"));
        Files.createSymbolicLink(temp.resolve("cortex-1"), temp.resolve("elsewhere"));
        Home home = new Home(temp.resolve("home"), temp.resolve("cortex-1/12345678"));
        assertThatThrownBy(home::requireOwn).isInstanceOf(CortexException.class);
    }

    @Test
    void theDigestIsThatOfTheLibrary() throws Exception {
        for (int length = 0; length < 300; length++) {
            byte[] message = new byte[length];
            for (int i = 0; i < length; i++) {
                message[i] = (byte) (i * 7 + length);
            }
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(message);
            assertThat(Sha256.firstDigits(message)).isEqualTo(HexFormat.of().formatHex(whole, 0, 4));
        }
    }

    @Test
    void theEffectiveUserIsReadFromTheStatusFile() {
        assertThat(Uid.effective("Name:\tjava\nUid:\t1000\t33\t1000\t33\nGid:\t0\t0\t0\t0\n"))
                .isEqualTo(33);
        assertThat(Home.uid()).isEqualTo(Uid.effective());
    }

    @Test
    void aHomeIsMadeForItsOwnerAloneWhoeverComesFirst(@TempDir Path folder) throws Exception {
        Home home = Home.at(folder.resolve("home"));
        home.makeFolder();
        home.makeFolder();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.folder())))
                .isEqualTo("rwx------");
    }
}
