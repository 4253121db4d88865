package dev.cortex.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.cli.command.Word;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PlaceTest {
    private static Place place(String text) {
        return Place.of(Word.of(text));
    }

    @Test
    void aNameBeforeAColonIsASandbox() {
        assertThat(place("api:/x/y")).isEqualTo(new Place.Inside("api", Word.of("/x/y")));
        assertThat(place("api:")).isEqualTo(new Place.Inside("api", Word.of(".")));
        assertThat(place("api:a:b")).isEqualTo(new Place.Inside("api", Word.of("a:b")));
    }

    @Test
    void aColonBehindASlashOrInAPathIsPartOfAName() {
        assertThat(place("./a:b")).isInstanceOf(Place.Local.class);
        assertThat(place("/tmp/a:b")).isInstanceOf(Place.Local.class);
        assertThat(place(":x")).isInstanceOf(Place.Local.class);
        assertThat(place("plain")).isInstanceOf(Place.Local.class);
        assertThat(place("-")).isEqualTo(new Place.Stream());
    }

    @Test
    void pathsInsideAreBytes() {
        Word word = Word.of(new byte[] {'a', ':', (byte) 0xff});
        Place.Inside inside = (Place.Inside) Place.of(word);
        assertThat(inside.path().bytes()).containsExactly(0xff);
        assertThat(inside.child(Word.of("n")).path().bytes()).containsExactly(0xff, '/', 'n');
    }

    @Test
    void theLastPartOfAPathIsItsName() {
        assertThat(Place.lastPart(Word.of("/a/b/")).text()).isEqualTo("b");
        assertThat(Place.lastPart(Word.of("b")).text()).isEqualTo("b");
        assertThat(((Place.Inside) place("x:a/.")).endsInDot()).isTrue();
        assertThat(((Place.Inside) place("x:a.")).endsInDot()).isFalse();
        assertThat(((Place.Inside) place("x:a/")).child(Word.of("b")).path().text())
                .isEqualTo("a/b");
    }

    @Test
    void permissionBitsAreThoseOfTheFile() {
        assertThat(PosixFilePermissions.toString(NewFile.permissions(0751))).isEqualTo("rwxr-x--x");
        assertThat(PosixFilePermissions.toString(NewFile.permissions(0))).isEqualTo("---------");
    }

    @Test
    void progressSaysBytesRateAndTimeLeft() {
        assertThat(Progress.line(100 << 20, Optional.of(300L << 20), 2_000_000_000L))
                .isEqualTo("100M of 300M  50M/s  4 s left");
        assertThat(Progress.line(1 << 20, Optional.empty(), 1_000_000_000L)).isEqualTo("1M  1M/s");
    }
}
