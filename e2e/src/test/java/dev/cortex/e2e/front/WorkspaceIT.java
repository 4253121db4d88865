package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A coding session on a copy of a checkout: work inside, a diff, and the way back. */
final class WorkspaceIT {
    private final CortexHome cortex = CortexHome.open();
    private Path project;

    @BeforeEach
    void checkout() throws Exception {
        project = Files.createDirectory(cortex.folder().resolve("project"));
        git("init", "-q", "-b", "main");
        Files.createDirectory(project.resolve("src"));
        Files.writeString(project.resolve("src/sum.py"), "def add(a, b):\n    return a - b\n");
        Files.writeString(
                project.resolve("src/test_sum.py"),
                "import unittest\nfrom sum import add\n\n\nclass T(unittest.TestCase):\n"
                        + "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n");
        Files.writeString(project.resolve(".gitignore"), "__pycache__/\nsecret.env\n");
        Files.writeString(project.resolve("notes.txt"), "one\ntwo\nthree\nfour\n");
        git("add", ".");
        git("commit", "-qm", "first");
        git("remote", "add", "origin", "https://me:password@example.com/x.git");
        Files.writeString(project.resolve("secret.env"), "KEY=1\n");
        Files.writeString(project.resolve("notes.txt"), "one\ntwo\nthree, uncommitted\nfour\n");
        Files.writeString(project.resolve("untracked.txt"), "new\n");
    }

    @AfterEach
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private String git(String... words) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("git", "-C", project.toString(), "-c", "user.name=t", "-c", "user.email=t@t"));
        command.addAll(List.of(words));
        Process git = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(git.waitFor()).isZero();
        return output;
    }

    private CortexHome.Outcome sh(String script) throws Exception {
        return cortex.cortex("exec", "api", "--", "sh", "-c", script);
    }

    private String diff() throws Exception {
        return cortex.cortex("diff", "api").succeeded().stdout();
    }

    @Test
    void anAgentFixesABugAndTheFixComesBack() throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();

        assertThat(sh("pwd; cat notes.txt untracked.txt; ls secret.env; id -un; stat -c %U . notes.txt")
                        .stdout())
                .isEqualTo("/home/agent/workspace\none\ntwo\nthree, uncommitted\nfour\nnew\nagent\nagent\nagent\n");
        assertThat(sh("git status --short; git remote; cat .git/config; git log --format=%s")
                        .stdout())
                .contains(" M notes.txt", "?? untracked.txt", "first")
                .doesNotContain("password");
        assertThat(sh("cd src && python3 -m unittest -q").status()).isNotZero();
        sh("sed -i 's/a - b/a + b/' src/sum.py && cd src && python3 -m unittest -q && git commit -qam fixed")
                .succeeded();

        assertThat(diff())
                .startsWith("diff --git a/src/sum.py b/src/sum.py\nindex ")
                .endsWith(" 100644\n--- a/src/sum.py\n+++ b/src/sum.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
                        + "-    return a - b\n+    return a + b\n");
        assertThat(cortex.cortex("diff", "api", "--stat").succeeded().stdout())
                .contains("src/sum.py | 2 +-", "1 file changed, 1 insertion(+), 1 deletion(-)");

        assertThat(cortex.cortex("apply", "api", "--check").succeeded().stdout())
                .contains("modified  src/sum.py");
        assertThat(project.resolve("src/sum.py")).content().contains("a - b");
        cortex.cortex("apply", "api").succeeded();
        assertThat(project.resolve("src/sum.py")).content().contains("a + b");
        assertThat(diff()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"running", "stopped", "after a crash"})
    void itCanBeComparedAndAppliedWhateverTheSandboxDoes(String state) throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("echo more >>notes.txt").succeeded();
        switch (state) {
            case "stopped" -> cortex.cortex("stop", "api").succeeded();
            case "after a crash" -> cortex.killDaemon();
            default -> {}
        }
        assertThat(diff()).contains("+more");
        cortex.cortex("apply", "api").succeeded();
        assertThat(project.resolve("notes.txt")).content().endsWith("more\n");
    }

    @Test
    void itStaysWithTheDiskOfItsName() throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("echo more >>notes.txt").succeeded();
        cortex.cortex("rm", "--force", "api").succeeded();

        assertThat(cortex.cortex("create", "api", "--workspace", project.toString())
                        .stderr())
                .contains("has a workspace already", "--wipe");
        cortex.cortex("create", "api").succeeded();
        assertThat(diff()).contains("+more");
        cortex.cortex("rm", "--force", "api").succeeded();
        cortex.cortex("create", "api", "--wipe", "--workspace", project.toString())
                .succeeded();
        assertThat(diff()).isEmpty();
    }

    @Test
    void aConflictIsToldAndNothingIsHalfApplied() throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("echo a >a.txt; sed -i 's/^two/TWO/' notes.txt; rm untracked.txt").succeeded();
        Files.writeString(project.resolve("notes.txt"), "one\n2\nthree, uncommitted\nfour\n");

        CortexHome.Outcome refused = cortex.cortex("apply", "api");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stdout()).isEqualTo("conflict  notes.txt: changed in both: here line 2\n");
        assertThat(project.resolve("a.txt")).doesNotExist();
        assertThat(project.resolve("untracked.txt")).exists();
        assertThat(cortex.cortex("apply", "api", "--json").stdout()).contains("\"done\":false", "\"conflicts\":[{");

        cortex.cortex("apply", "api", "--", "a.txt").succeeded();
        assertThat(project.resolve("a.txt")).hasContent("a");
    }

    @Test
    void changesOfBothSidesCanComeTogetherOrGoToABranch() throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("sed -i 's/^four/FOUR/' notes.txt").succeeded();
        Files.writeString(project.resolve("notes.txt"), "ONE\ntwo\nthree, uncommitted\nfour\n");

        cortex.cortex("apply", "api", "--branch", "by-agent", "-m", "Shout").succeeded();
        assertThat(git("show", "by-agent:notes.txt")).isEqualTo("one\ntwo\nthree, uncommitted\nFOUR\n");
        assertThat(git("log", "--format=%s", "by-agent")).startsWith("Shout\n");
        assertThat(project.resolve("notes.txt")).content().startsWith("ONE").contains("four");

        assertThat(cortex.cortex("apply", "api").succeeded().stdout()).contains("merged");
        assertThat(project.resolve("notes.txt")).hasContent("ONE\ntwo\nthree, uncommitted\nFOUR\n");
    }

    @Test
    void aSandboxPlantsNothingThatTheHostWouldRunOrFollow() throws Exception {
        Path secret = Files.writeString(cortex.folder().resolve("secret"), "of the host\n");
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("printf '#!/bin/sh\\ntouch /tmp/evil\\n' >.git/hooks/post-commit; chmod 755 .git/hooks/post-commit;"
                        + " git config core.fsmonitor evil; mkdir -p n && cd n && git init -q && cd ..;"
                        + " echo evil >.envrc; ln -s " + secret + " stolen; rm -r src; ln -s / src; echo ok >fine;"
                        + " chmod 4777 fine")
                .succeeded();

        assertThat(diff()).doesNotContain("of the host", ".git/hooks", "fsmonitor");
        CortexHome.Outcome refused = cortex.cortex("apply", "api");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stderr())
                .contains(
                        ".envrc (the host may run it by itself)", "stolen (a link out of the folder)", "--allow-hooks");
        assertThat(project.resolve("fine")).doesNotExist();

        cortex.cortex("apply", "api", "--", "fine").succeeded();
        assertThat((int) Files.getAttribute(project.resolve("fine"), "unix:mode") & 07000)
                .isZero();
        assertThat(project.resolve(".git/hooks/post-commit")).doesNotExist();
        assertThat(git("config", "--default", "none", "--get", "core.fsmonitor"))
                .isEqualTo("none\n");
    }

    @Test
    void aPatchWithEscapesIsCleanedForPeopleAndExactForPrograms() throws Exception {
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        sh("printf '\\033]0;title\\007\\n' >esc").succeeded();

        assertThat(diff()).contains("+\u001b]0;title\u0007");
        assertThat(cortex.cortex("diff", "api", "--color", "always").succeeded().stdout())
                .contains("+\ufffd]0;title\ufffd")
                .doesNotContain("\u001b]0");
        Path patch = Files.writeString(cortex.folder().resolve("patch"), diff());
        git("apply", patch.toString());
        assertThat(project.resolve("esc")).hasContent("\u001b]0;title\u0007\n");
    }

    @Test
    void withoutAWorkspaceOrAFolderItSaysSo() throws Exception {
        cortex.cortex("create", "api").succeeded();
        assertThat(cortex.cortex("diff", "api").stderr()).contains("this sandbox has no workspace", "--workspace DIR");
        assertThat(cortex.cortex("create", "b", "--workspace", "/no/such/folder")
                        .stderr())
                .contains("there is no folder /no/such/folder");
        assertThat(cortex.cortex("create", "b", "--workspace", "/").stderr())
                .contains("the whole machine is no folder to copy");
        assertThat(cortex.cortex("create", "b", "--workspace", cortex.home().toString())
                        .stderr())
                .contains("lie in each other");
    }

    @Test
    void aProjectsFileMayAskForACopyOfTheProjectAndOfNothingElse() throws Exception {
        Files.createDirectory(project.resolve(".cortex"));
        Path settings = Files.writeString(project.resolve(".cortex/config.yaml"), "workspace: .\n");
        assertThat(cortex.shell("cd project && cortex create api && cortex exec api -- cat untracked.txt")
                        .succeeded()
                        .stdout())
                .endsWith("new\n");
        Files.writeString(settings, "workspace: ../home\n");
        assertThat(cortex.shell("cd project && cortex create other").stderr())
                .contains("asks for a workspace outside of its project");
    }

    @Test
    void withoutIsolationItWorksTheSame() throws Exception {
        cortex.shell("CORTEX_ALLOW_INSECURE_PROCESS=1 cortex create api --driver process --workspace project")
                .succeeded();
        sh("echo more >>notes.txt").succeeded();
        assertThat(diff()).contains("+more");
        cortex.cortex("apply", "api").succeeded();
        assertThat(project.resolve("notes.txt")).content().endsWith("more\n");
    }

    @Test
    @Tag("slow")
    void tenThousandFilesOfAHundredMegabytesComeAndGo() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            Path folder = project.resolve("d" + i % 100);
            Files.createDirectories(folder);
            byte[] bytes = new byte[10_000];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (at % 80 == 79 ? '\n' : 'a' + (bytes[at] & 15));
            }
            Files.write(folder.resolve("f" + i), bytes);
        }
        git("add", ".");
        git("commit", "-qm", "big");
        for (int i = 0; i < 50; i++) {
            Files.writeString(project.resolve("d" + i).resolve("f" + i), "uncommitted\n");
        }
        cortex.cortex("create", "api", "--workspace", project.toString()).succeeded();
        assertThat(sh("git status --short | wc -l").succeeded().stdout().strip())
                .isEqualTo("50");
        sh("for i in $(seq 100 199); do echo inside >>d$((i%100))/f$i; done").succeeded();
        assertThat(cortex.cortex("diff", "api", "--stat").succeeded().stdout())
                .contains("100 files changed, 100 insertions(+)");
        cortex.cortex("apply", "api").succeeded();
        assertThat(project.resolve("d0/f100")).content().endsWith("inside\n");
        assertThat(project.resolve("d0/f0")).hasContent("uncommitted\n");
    }
}
