package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What people use a sandbox for, end to end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RealWorkIT {
    private final CortexHome cortex = CortexHome.open();

    @BeforeAll
    void createSandbox() throws Exception {
        cortex.cortex("create", "work").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    @Test
    void theFirstLineOfTheReadmePrintsFortyTwoAndNothingElse() throws Exception {
        CortexHome.Outcome outcome =
                cortex.cortex("run", "--", "python3", "-c", "print(6*7)").succeeded();

        assertThat(outcome.stdout()).isEqualTo("42\n");
        assertThat(outcome.stderr()).isEmpty();
        CortexHome.await(
                () -> cortex.cortex("ls", "--all", "--json").stdout().split("\"name\"").length == 2,
                "the record of run to go");
    }

    @Test
    void aProgramInCIsCompiledAndRun() throws Exception {
        byte[] source = "#include <stdio.h>\nint main(void) { puts(\"from C\"); return 4; }\n".getBytes();
        cortex.cortex(source, "exec", "work", "--", "sh", "-c", "cat > hello.c").succeeded();

        CortexHome.Outcome outcome = cortex.cortex("exec", "work", "--", "sh", "-c", "gcc -o hello hello.c && ./hello");

        assertThat(outcome.stdout()).isEqualTo("from C\n");
        assertThat(outcome.status()).isEqualTo(4);
    }

    @Test
    void aFileOf200MegabytesGoesInIsWorkedOnAndItsResultComesOut() throws Exception {
        Path big = cortex.folder().resolve("big");
        Random random = new Random(7);
        try (var out = Files.newOutputStream(big)) {
            byte[] block = new byte[1 << 20];
            for (int i = 0; i < 200; i++) {
                random.nextBytes(block);
                out.write(block);
            }
        }
        cortex.cortex("cp", big.toString(), "work:big").succeeded();
        cortex.cortex(
                        "exec",
                        "work",
                        "--",
                        "python3",
                        "-c",
                        "d=open('big','rb').read(); open('turned','wb').write(bytes(d[::-1]))")
                .succeeded();
        Path turned = cortex.folder().resolve("turned");
        cortex.cortex("cp", "work:turned", turned.toString()).succeeded();

        String inside = cortex.cortex("exec", "work", "--", "sha256sum", "big", "turned")
                .succeeded()
                .stdout();
        assertThat(inside).contains(digest(big)).contains(digest(turned));
        assertThat(Files.size(turned)).isEqualTo(200L << 20);
        Files.delete(big);
        Files.delete(turned);
    }

    @Test
    void aNodeServerIsReachedFromASecondSession() throws Exception {
        String id = cortex.cortex(
                        "exec",
                        "work",
                        "--detach",
                        "--",
                        "node",
                        "-e",
                        "require('http').createServer((q,r)=>r.end('hello '+q.url)).listen(8080,'127.0.0.1')")
                .succeeded()
                .stdout()
                .strip();
        String client = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8080/there').read().decode())";
        CortexHome.await(
                () -> cortex.cortex("exec", "work", "--", "python3", "-c", client)
                        .stdout()
                        .equals("hello /there\n"),
                "the server's answer");

        cortex.cortex("sessions", "work", "--signal", "TERM", id).succeeded();
    }

    @Test
    void aRepositoryIsCopiedInChangedAndItsDiffCopiedOut() throws Exception {
        Path repository = cortex.folder().resolve("repo");
        CortexHome.Outcome made =
                cortex.shell("git init -q repo && cd repo && git config user.email a@b && git config user.name t"
                        + " && mkdir src && echo one > src/a.txt && ln -s src/a.txt link && printf '#!/bin/sh\\necho hi\\n' > run.sh && chmod 755 run.sh"
                        + " && git add -A && git commit -qm first");
        made.succeeded();
        cortex.cortex("cp", repository.toString(), "work:repo").succeeded();
        cortex.cortex(
                        "exec",
                        "work",
                        "--",
                        "sh",
                        "-c",
                        "cd repo && ./run.sh && echo two >> src/a.txt && git -c safe.directory='*' diff > ../change.diff")
                .succeeded();
        cortex.cortex(
                        "cp",
                        "work:change.diff",
                        cortex.folder().resolve("change.diff").toString())
                .succeeded();

        cortex.shell("cd repo && git apply ../change.diff && test -x run.sh && test -L link && cat link")
                .succeeded();
        assertThat(Files.readString(repository.resolve("src/a.txt"))).isEqualTo("one\ntwo\n");
        cortex.cortex("cp", "work:repo", cortex.folder().resolve("back").toString())
                .succeeded();
        cortex.shell("diff -r --no-dereference --exclude=index repo back && cd back && git status --porcelain")
                .succeeded();
    }

    private static String digest(Path file) throws Exception {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        try (var in = Files.newInputStream(file)) {
            byte[] block = new byte[1 << 20];
            for (int count = in.read(block); count >= 0; count = in.read(block)) {
                sha.update(block, 0, count);
            }
        }
        return HexFormat.of().formatHex(sha.digest());
    }
}
