package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.e2e.front.HttpDoor.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Archives that want to write elsewhere than they were sent, into a sandbox and out of one. */
final class ArchiveAttackIT {
    private static final int BLOCK = 512;
    private static final int MANY = 100_000;

    private static CortexHome cortex;

    @BeforeAll
    static void open() throws Exception {
        cortex = CortexHome.open();
        cortex.cortex("create", "a").succeeded();
        cortex.cortex("exec", "a", "--", "sh", "-c", "mkdir /tmp/out /tmp/in && echo safe > /tmp/out/victim")
                .succeeded();
    }

    @AfterAll
    static void close() throws Exception {
        cortex.close();
    }

    // ---- in ----------------------------------------------------------------------------------------------------

    @Test
    void aLinkThatIsThenWrittenThroughEndsTheTransferWithItsName() throws Exception {
        assertRefused("link/victim", new Tar().link('2', "link", "/tmp/out").file("link/victim", "pwned"));
        assertRefused("rel/victim", new Tar().link('2', "rel", "../out").file("rel/victim", "pwned"));
    }

    @Test
    void aHardLinkToAFileOutsideEndsTheTransferWithItsName() throws Exception {
        assertRefused("hard", new Tar().link('1', "hard", "/tmp/out/victim").file("hard", "pwned"));
        assertRefused("hard", new Tar().link('1', "hard", "../out/victim").file("hard", "pwned"));
    }

    @Test
    void aNameThatClimbsOutOrBeginsAtTheRootEndsTheTransferWithItsName() throws Exception {
        assertRefused("../out/victim", new Tar().file("../out/victim", "pwned"));
        assertRefused("x/../../out/victim", new Tar().file("x/../../out/victim", "pwned"));
        assertRefused("/tmp/out/victim", new Tar().file("/tmp/out/victim", "pwned"));
    }

    @Test
    void aDeviceEndsTheTransferWithItsName() throws Exception {
        assertRefused("null", new Tar().link('3', "null", ""));
        assertRefused("disk", new Tar().link('4', "disk", ""));
    }

    @Test
    void aHundredThousandSmallFilesArriveAndComeBack() throws Exception {
        Tar tar = new Tar();
        for (int i = 0; i < MANY; i++) {
            tar.file("many/" + i % 100 + "/" + i, "");
        }
        assertThat(put(tar).status()).isEqualTo(200);
        assertThat(inside("find /tmp/in/many -type f | wc -l")).isEqualTo(MANY + "\n");

        Path out = cortex.folder().resolve("many");
        cortex.cortex("cp", "a:/tmp/in/many", out.toString()).succeeded();
        try (var files = Files.walk(out)) {
            assertThat(files.filter(Files::isRegularFile).count()).isEqualTo(MANY);
        }
        inside("rm -r /tmp/in/many");
    }

    // ---- out ---------------------------------------------------------------------------------------------------

    @Test
    void aHostileFolderThatIsCopiedOutTouchesNothingBesideItsTarget() throws Exception {
        Path victim = Files.writeString(cortex.folder().resolve("victim"), "safe");
        inside("mkdir -p /tmp/h && cd /tmp/h && ln -sfn " + cortex.folder() + " dir && ln -sfn " + victim
                + " file && ln -sfn ../victim up && mkdir -p real && echo x > real/f && ln -f real/f real/twin");
        Path target = cortex.folder().resolve("h");
        for (int time = 0; time < 2; time++) {
            cortex.cortex("cp", "a:/tmp/h", target.toString());
            // What was a link the first time has contents now, at the very name that is a link on the host.
            inside("cd /tmp/h && rm -rf dir file && mkdir dir && echo pwned > dir/victim && echo pwned > file");
        }
        assertThat(victim).hasContent("safe");
        assertThat(cortex.folder().resolve("dir")).doesNotExist();
        inside("rm -r /tmp/h");
    }

    // ---- ---------------------------------------------------------------------------------------------------------

    private static void assertRefused(String name, Tar tar) throws Exception {
        Answer answer = put(tar);
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("INVALID_ARGUMENT").contains(name);
        assertThat(inside("cat /tmp/out/victim; ls /tmp/out")).isEqualTo("safe\nvictim\n");
        assertThat(inside("find /tmp/in -type b -o -type c")).isEmpty();
        inside("rm -rf /tmp/in && mkdir /tmp/in");
    }

    private static Answer put(Tar tar) throws Exception {
        return HttpDoor.to(cortex).put("/sandboxes/a/archive?path=/tmp/in", tar.bytes());
    }

    private static String inside(String script) throws Exception {
        return cortex.cortex("exec", "a", "--", "sh", "-c", script).succeeded().stdout();
    }

    /** The plainest tar there is: what it says is for the attack to choose. */
    private static final class Tar {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Tar file(String name, String contents) throws IOException {
            byte[] bytes = contents.getBytes(StandardCharsets.UTF_8);
            header('0', name, "", bytes.length);
            out.write(bytes);
            out.write(new byte[(BLOCK - bytes.length % BLOCK) % BLOCK]);
            return this;
        }

        Tar link(char type, String name, String target) throws IOException {
            header(type, name, target, 0);
            return this;
        }

        byte[] bytes() {
            out.writeBytes(new byte[2 * BLOCK]);
            return out.toByteArray();
        }

        private void header(char type, String name, String target, int size) throws IOException {
            byte[] block = new byte[BLOCK];
            put(block, 0, name);
            put(block, 100, "0000644\0");
            put(block, 108, "0000000\0");
            put(block, 116, "0000000\0");
            put(block, 124, "%011o\0".formatted(size));
            put(block, 136, "00000000000\0");
            put(block, 148, "        ");
            block[156] = (byte) type;
            put(block, 157, target);
            put(block, 257, "ustar\00000");
            put(block, 329, "0000001\0");
            put(block, 337, "0000003\0");
            int sum = 0;
            for (byte b : block) {
                sum += b & 0xff;
            }
            put(block, 148, "%06o\0 ".formatted(sum));
            out.write(block);
        }

        private static void put(byte[] block, int at, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, block, at, bytes.length);
        }
    }
}
