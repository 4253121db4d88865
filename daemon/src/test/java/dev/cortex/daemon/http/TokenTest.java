package dev.cortex.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenTest {
    @TempDir
    Path folder;

    @Test
    void aTokenIsMadeOnceForItsOwnerAloneAndThenKept() throws Exception {
        Path file = folder.resolve("token");
        String token = Token.of(file);
        assertThat(token).matches("e2b_[0-9a-f]{40}");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Token.of(file)).isEqualTo(token);
    }

    @Test
    void aFileThatHoldsNoTokenIsRefusedAndNotReplaced() throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, "e2b_short\n");
        assertThatThrownBy(() -> Token.of(file)).isInstanceOf(CortexException.class);
        assertThat(Files.readString(file)).isEqualTo("e2b_short\n");
    }
}
