package dev.cortex.cli.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.cli.command.Flag;
import dev.cortex.cli.command.Verb;
import dev.cortex.cli.command.Verbs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wanted at the end of a line. */
final class TypedLineTest {
    /** A space at the end begins a new word. */
    private static TypedLine line(String text) {
        return new TypedLine(text.isEmpty() ? List.of("") : List.of(text.split(" ", -1)));
    }

    private static List<String> words(String text) {
        return line(text).wish() instanceof Wish.Words words
                ? words.all().stream().map(Candidate::word).toList()
                : List.of();
    }

    @Test
    void withoutAVerbEveryVerbIsOffered() {
        assertThat(words(""))
                .containsExactlyElementsOf(Verbs.all().stream().map(Verb::name).toList());
        assertThat(words("--json ")).contains("run", "help");
        assertThat(words("--home /h ls")).contains("ls");
    }

    @Test
    void everyVerbOffersItsFlagsAndThoseOfAll() {
        for (Verb verb : Verbs.all()) {
            List<String> wanted = new ArrayList<>();
            verb.flags().forEach(flag -> wanted.add("--" + flag.name()));
            Verbs.GLOBAL.forEach(flag -> wanted.add("--" + flag.name()));
            assertThat(words(verb.name() + " -")).as(verb.name()).containsExactlyElementsOf(wanted);
        }
    }

    @Test
    void aFlagThatWasGivenIsNotOfferedAgainUnlessItRepeats() {
        assertThat(words("create --image host --env A=b --"))
                .contains("--env", "--memory")
                .doesNotContain("--image");
        assertThat(words("create -I host -")).doesNotContain("--image");
    }

    @Test
    void everyFlagWithAValueIsFollowedByItsValueAndNeverByAnOperand() {
        for (Verb verb : Verbs.all()) {
            for (Flag flag : verb.flags()) {
                if (flag.takesValue()) {
                    Wish apart = line(verb.name() + " --" + flag.name() + " ").wish();
                    Wish together =
                            line(verb.name() + " --" + flag.name() + "=").wish();
                    assertThat(apart).as(flag.name()).isEqualTo(together).isNotInstanceOf(Wish.Sandboxes.class);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'run --driver=oc', --driver=, oc",
        "'run --image ./f', '', ./f",
        "'cp api:da', '', api:da",
        "'run --env A=b', '', A=b",
        "'exec a -- x --y=z', '', --y=z",
    })
    void onlyTheValueOfAFlagIsCompletedBehindItsName(String text, String prefix, String part) {
        assertThat(line(text).prefix()).isEqualTo(prefix);
        assertThat(line(text).part()).isEqualTo(part);
    }

    @Test
    void operandsAreWhatTheVerbTakesThere() {
        assertThat(line("start ").wish()).isEqualTo(new Wish.Sandboxes(List.of("created", "stopped")));
        assertThat(line("rm --force a ").wish()).isEqualTo(new Wish.Sandboxes(List.of()));
        assertThat(line("rm --force a ").isGiven("a")).isTrue();
        assertThat(line("attach api ").wish()).isEqualTo(new Wish.Sessions("api"));
        assertThat(line("attach --from 7 api ").wish()).isEqualTo(new Wish.Sessions("api"));
        assertThat(line("attach api s_1 ").wish()).isInstanceOf(Wish.Unknown.class);
        assertThat(line("cp a b").wish()).isInstanceOf(Wish.Place.class);
        assertThat(line("watch api ").wish()).isEqualTo(new Wish.Inside("api"));
        assertThat(line("image rm a ").wish()).isEqualTo(new Wish.Images(false));
        assertThat(line("image import ").wish()).isInstanceOf(Wish.Files.class);
        assertThat(line("config trust ").wish()).isInstanceOf(Wish.Folders.class);
        assertThat(words("config set ")).contains("limits.memory", "daemon.port", "daemon.log-size");
        assertThat(words("egress ")).containsExactly("log", "set", "show");
        assertThat(line("egress log ").wish()).isEqualTo(new Wish.Sandboxes(List.of()));
        assertThat(words("help ")).contains("exec", "egress", "daemon");
        assertThat(words("run --then ")).isEmpty();
        assertThat(words("create --then ")).containsExactly("stop", "pause", "remove");
    }

    @Test
    void aCommandIsCompletedWhereItRuns() {
        assertThat(line("run ls ").wish()).isInstanceOf(Wish.Files.class);
        assertThat(line("run -- ").wish()).isInstanceOf(Wish.Files.class);
        assertThat(line("exec api -- python3 ").wish()).isEqualTo(new Wish.Inside("api"));
        assertThat(line("exec api python3 --").wish()).isEqualTo(new Wish.Inside("api"));
        assertThat(line("exec -u root api -- x").wish()).isEqualTo(new Wish.Inside("api"));
    }

    @Test
    void theHomeThatIsNamedIsTheOneThatIsAsked() {
        assertThat(line("--home /h inspect ").home()).contains("/h");
        assertThat(line("inspect --home=/h ").home()).contains("/h");
        assertThat(line("exec api -- x --home /h ").home()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nothing ", "nothing -", "nothing of this", "-- ", "- ", "--=", "-x=", "exec -- ", "rm -- -"})
    void whatMakesNoSenseIsNoFailure(String text) {
        assertThat(line(text).wish()).isNotNull();
    }
}
