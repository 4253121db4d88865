package dev.cortex.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.home.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StartTurnTest {
    @TempDir
    Path folder;

    @Test
    void oneHasTheTurnUntilItGivesItBack() {
        Home home = Home.at(folder.resolve("home"));
        StartTurn mine = StartTurn.take(home).orElseThrow();
        assertThat(StartTurn.take(home)).isEmpty();
        assertThat(StartTurn.take(home)).isEmpty();
        mine.close();
        Optional<StartTurn> next = StartTurn.take(home);
        assertThat(next).isPresent();
        next.get().close();
    }

    @Test
    void whereNoTurnCanBeHadEverybodyHasOne() throws Exception {
        Home home = Home.at(Files.writeString(folder.resolve("file"), "no folder"));
        try (StartTurn one = StartTurn.take(home).orElseThrow();
                StartTurn two = StartTurn.take(home).orElseThrow()) {
            assertThat(one).isNotSameAs(two);
        }
    }

    @Test
    void anotherHomeHasATurnOfItsOwn() {
        try (StartTurn one = StartTurn.take(Home.at(folder.resolve("a"))).orElseThrow();
                StartTurn two = StartTurn.take(Home.at(folder.resolve("b"))).orElseThrow()) {
            assertThat(one).isNotSameAs(two);
        }
    }
}
