package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Images that umoci and skopeo made, through the front door and on a real runtime. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ImageIT {
    private final CortexHome cortex = CortexHome.open();
    private Path folder;

    @BeforeAll
    void makeImages() throws Exception {
        folder = Files.createDirectories(cortex.folder().resolve("images"));
        cortex.shell("""
                        set -e; cd '%s'; export HOME=$PWD
                        umoci init --layout layout
                        umoci new --image layout:bb
                        umoci unpack --image layout:bb one
                        mkdir -p one/rootfs/bin one/rootfs/etc one/rootfs/srv
                        cp /bin/busybox one/rootfs/bin/
                        for name in sh id pwd env ls cat; do ln -s busybox one/rootfs/bin/$name; done
                        printf 'root:x:0:0::/root:/bin/sh\\nweb:x:33:33::/srv:/bin/sh\\n' >one/rootfs/etc/passwd
                        printf 'root:x:0:\\nstaff:x:50:\\n' >one/rootfs/etc/group
                        touch one/rootfs/etc/gone
                        umoci repack --image layout:bb one
                        umoci unpack --image layout:bb two
                        rm two/rootfs/etc/gone; echo new >two/rootfs/srv/new
                        umoci repack --image layout:bb two
                        umoci config --image layout:bb --config.user web:staff --config.workingdir /srv \
                            --config.entrypoint /bin/sh --config.entrypoint -c --config.env GREETING=hello \
                            --config.cmd 'id -u; id -g; pwd; echo $GREETING; cat new; ls /etc/gone'
                        skopeo copy oci:layout:bb docker-archive:docker.tar:team/bb:1.35
                        tar -C two/rootfs -cf root.tar .
                        """.formatted(folder)).succeeded();
        cortex.cortex("image", "import", folder.resolve("layout").toString(), "--name", "bb")
                .succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    @Test
    void itsConfigurationHolds() throws Exception {
        CortexHome.Outcome own = cortex.cortex("run", "--image", "bb");
        assertThat(own.stdout()).isEqualTo("33\n50\n/srv\nhello\nnew\n");
        assertThat(own.status()).as("what a layer took away is gone").isEqualTo(1);
        assertThat(cortex.cortex("run", "--image", "bb", "--", "echo handed to the entrypoint")
                        .succeeded()
                        .stdout())
                .isEqualTo("handed to the entrypoint\n");
        assertThat(cortex.cortex("run", "--image", "bb", "--entrypoint", "", "--user", "root", "--", "id", "-u")
                        .succeeded()
                        .stdout())
                .isEqualTo("0\n");
    }

    @Test
    void anArchiveOfDockerSaveIsTakenFromAFileAndFromStdin() throws Exception {
        cortex.cortex("image", "import", folder.resolve("docker.tar").toString())
                .succeeded();
        cortex.cortex(Files.readAllBytes(folder.resolve("docker.tar")), "image", "import", "-", "--name", "piped")
                .succeeded();
        String list = cortex.cortex("image", "ls").succeeded().stdout();
        assertThat(list).contains("bb ").contains("team/bb:1.35").contains("piped");
        assertThat(cortex.cortex("run", "--image", "piped", "--", "pwd")
                        .succeeded()
                        .stdout())
                .isEqualTo("/srv\n");
    }

    @Test
    void aPlainRootGetsTheSettingsThatAreGiven() throws Exception {
        cortex.cortex(
                        "image",
                        "import",
                        folder.resolve("root.tar").toString(),
                        "--name",
                        "plain:2",
                        "--user",
                        "33",
                        "--env",
                        "A=b",
                        "--cmd",
                        "[\"/bin/sh\",\"-c\",\"id -u; echo $A\"]")
                .succeeded();
        assertThat(cortex.cortex("run", "--image", "plain:2").succeeded().stdout())
                .isEqualTo("33\nb\n");
    }

    @Test
    void anImageInUseIsKeptUntilNobodyUsesItAnyMore() throws Exception {
        cortex.cortex("image", "import", folder.resolve("root.tar").toString(), "--name", "used")
                .succeeded();
        cortex.cortex("create", "api", "--image", "used").succeeded();
        CortexHome.Outcome refused = cortex.cortex("image", "rm", "used");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stderr()).contains("in use by api");
        cortex.cortex("rm", "--force", "api").succeeded();
        assertThat(cortex.cortex("image", "rm", "used").stderr()).contains("the kept disk api");
        cortex.cortex("rm", "--wipe", "api").succeeded();
        cortex.cortex("image", "rm", "used").succeeded();
        assertThat(cortex.cortex("run", "--image", "used", "--", "true").stderr())
                .contains("there is no image used");
    }

    @Test
    void anImageWithoutANameIsPrunedOnlyWhenItIsAskedForAndNobodyUsesIt() throws Exception {
        String tar = folder.resolve("pruned.tar").toString();
        cortex.shell(
                        "echo once >'%1$s/two/rootfs/srv/once' && tar -C '%1$s/two/rootfs' -cf '%2$s' . && rm '%1$s/two/rootfs/srv/once'"
                                .formatted(folder, tar))
                .succeeded();
        cortex.cortex("create", "keeps", "--image", tar).succeeded();
        String digest = digestOf(cortex, "keeps");
        assertThat(cortex.cortex("prune", "--images", "--apply").succeeded().stdout())
                .doesNotContain(digest);
        cortex.cortex("exec", "keeps", "--", "cat", "/srv/once").succeeded();
        cortex.cortex("rm", "--force", "--wipe", "keeps").succeeded();

        CortexHome.Outcome other = cortex.cortex("prune", "--apply").succeeded();
        assertThat(other.stdout()).contains("kept  image " + digest);
        assertThat(other.stderr()).contains("cortex prune --images");
        CortexHome.Outcome dry = cortex.cortex("prune", "--images").succeeded();
        assertThat(dry.stdout()).contains("would go  image " + digest);
        assertThat(dry.stderr()).contains("do it: cortex prune --apply --images");
        assertThat(cortex.cortex("image", "ls").stdout()).contains(digest);

        assertThat(cortex.cortex("prune", "--images", "--apply", "--json")
                        .succeeded()
                        .stdout())
                .contains("\"images\":[{\"digest\":\"" + digest);
        assertThat(cortex.cortex("image", "ls").stdout()).doesNotContain(digest).contains("bb ");
        assertThat(cortex.cortex("prune", "--images").succeeded().stdout()).doesNotContain(digest);
        assertThat(cortex.cortex("run", "--image", "bb", "--", "echo the named one stays")
                        .succeeded()
                        .stdout())
                .isEqualTo("the named one stays\n");
    }

    /** As far as people copy it. */
    private static String digestOf(CortexHome cortex, String name) throws Exception {
        Matcher digest = Pattern.compile("sha256:[0-9a-f]{12}")
                .matcher(cortex.cortex("inspect", name, "--json").succeeded().stdout());
        assertThat(digest.find()).isTrue();
        return digest.group();
    }

    @Test
    void whatIsNoImageIsRefusedAndLeavesNothing() throws Exception {
        Path odd = Files.writeString(folder.resolve("odd.tar"), "this is no archive");
        CortexHome.Outcome refused = cortex.cortex("image", "import", odd.toString(), "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stdout()).contains("INVALID_ARGUMENT");
        assertThat(cortex.cortex("image", "inspect", "odd").status()).isEqualTo(1);
        try (var left = Files.list(cortex.home().resolve("images"))) {
            assertThat(left.map(path -> path.getFileName().toString())).noneMatch(name -> name.startsWith(".begun"));
        }
    }
}
