package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The backup of docs/operations.md, as it stands there. */
final class BackupIT {
    @Test
    void aCopyOfAStoppedHomeThatIsPutBackHasItsSandboxesDisksAndOwners() throws Exception {
        try (CortexHome home = CortexHome.open()) {
            home.cortex("create", "precious").succeeded();
            home.cortex("exec", "precious", "--", "sh", "-c", "echo kept >file; sudo touch /root-file")
                    .succeeded();
            home.cortex("stop", "precious").succeeded();
            home.cortex("serve", "--stop").succeeded();
            Path copy = home.folder().resolve("copy");
            home.shell("cp -a --sparse=always '" + home.home() + "' '" + copy + "' && rm -rf '" + home.home()
                            + "' && cp -a --sparse=always '" + copy + "' '" + home.home() + "' && rm -rf '" + copy
                            + "'")
                    .succeeded();
            home.cortex("start", "precious").succeeded();
            assertThat(home.cortex(
                                    "exec",
                                    "precious",
                                    "--",
                                    "sh",
                                    "-c",
                                    "cat file; stat -c '%U %U' file; stat -c %U /root-file")
                            .succeeded()
                            .stdout())
                    .isEqualTo("kept\nagent agent\nroot\n");
        }
    }
}
