package dev.cortex.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.Nearest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ParserTest {
    private static Invocation parse(String... words) throws UsageException {
        List<Word> all = new ArrayList<>();
        for (String word : words) {
            all.add(Word.of(word));
        }
        return Parser.parse(all);
    }

    private static String refusal(String... words) {
        try {
            return "accepted: " + parse(words);
        } catch (UsageException e) {
            return e.text() + " | " + e.remedy();
        }
    }

    @Test
    void aCommandBehindTheDashesIsTakenAsItIs() throws Exception {
        Invocation run = parse("run", "--memory", "512M", "--", "sh", "--json", "--", "-x");
        assertThat(run.verb().name()).isEqualTo("run");
        assertThat(run.text("memory")).contains("512M");
        assertThat(run.has("json")).isFalse();
        assertThat(run.command()).extracting(Word::text).containsExactly("sh", "--json", "--", "-x");
    }

    @Test
    void aCommandMayBeginBehindTheOperandsWithoutDashes() throws Exception {
        Invocation exec = parse("exec", "api", "pytest", "-q");
        assertThat(exec.operands()).extracting(Word::text).containsExactly("api");
        assertThat(exec.command()).extracting(Word::text).containsExactly("pytest", "-q");
    }

    @Test
    void flagsStandAnywhereBeforeTheDashes() throws Exception {
        assertThat(parse("--json", "ls", "--all").has("json")).isTrue();
        assertThat(parse("ls", "--all", "--json").has("json")).isTrue();
        Invocation exec = parse("exec", "--detach", "api", "--timeout", "5s", "--json", "--", "true");
        assertThat(exec.has("detach")).isTrue();
        assertThat(exec.text("timeout")).contains("5s");
        assertThat(exec.has("json")).isTrue();
    }

    @Test
    void valuesComeWithASpaceOrAnEqualsSignOrBehindTheLetter() throws Exception {
        assertThat(parse("run", "--memory=512M", "x").text("memory")).contains("512M");
        assertThat(parse("run", "-m", "512M", "x").text("memory")).contains("512M");
        assertThat(parse("run", "-m512M", "x").text("memory")).contains("512M");
        assertThat(parse("exec", "-ti", "api", "sh").has("stdin")).isTrue();
        assertThat(parse("run", "--env", "A=1=2", "-eB=", "x").values("env"))
                .extracting(Word::text)
                .containsExactly("A=1=2", "B=");
    }

    @Test
    void anAliasIsTheFlagItself() throws Exception {
        assertThat(parse("run", "--mode", "process", "x").text("driver")).contains("process");
    }

    @Test
    void anEmptyArgumentAndOneThatIsNotTextPassUnchanged() throws Exception {
        byte[] raw = {'a', (byte) 0xff, (byte) 0xfe, 'b'};
        Invocation run = Parser.parse(List.of(Word.of("run"), Word.of("--"), Word.of(""), Word.of(raw)));
        assertThat(run.command().get(0).bytes()).isEmpty();
        assertThat(run.command().get(1).bytes()).isEqualTo(raw);
        assertThat(run.command().get(1).isText()).isFalse();
    }

    @Test
    void aValueThatIsNotTextPassesUnchanged() throws Exception {
        byte[] flag = "--env=K=\u00ff".getBytes(StandardCharsets.ISO_8859_1);
        Invocation run = Parser.parse(List.of(Word.of("run"), Word.of(flag), Word.of("x")));
        assertThat(run.values("env").getFirst().bytes()).isEqualTo("K=\u00ff".getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void aTypoIsAnsweredByTheNearestWord() {
        assertThat(refusal("cerate")).contains("no verb 'cerate'").contains("cortex create");
        assertThat(refusal("lss")).contains("cortex ls");
        assertThat(refusal("run", "--memroy", "1G", "x")).contains("did you mean: --memory");
        assertThat(refusal("xyzzy")).contains("cortex help");
    }

    @Test
    void whatIsMissingOrTooMuchIsSaid() {
        assertThat(refusal("create")).contains("needs NAME").contains("cortex create --help");
        assertThat(refusal("create", "a", "b")).contains("takes no word 'b'");
        assertThat(refusal("run", "--memory")).contains("--memory needs a value: SIZE");
        assertThat(refusal("run", "--memory", "--", "x")).contains("--memory needs a value");
        assertThat(refusal("run", "--memory", "1G", "--memory", "2G", "x")).contains("given twice");
        assertThat(refusal("ls", "--all=1")).contains("takes no value");
        assertThat(refusal("ls", "-q")).contains("no flag -q");
        assertThat(refusal("--json")).contains("which verb?");
    }

    @Test
    void helpAndVersionAreFlagsToo() throws Exception {
        assertThat(parse().verb().name()).isEqualTo("help");
        assertThat(parse("--help").verb().name()).isEqualTo("help");
        assertThat(parse("--version").verb().name()).isEqualTo("version");
        Invocation help = parse("create", "--help");
        assertThat(help.verb().name()).isEqualTo("help");
        assertThat(help.operand(0)).isEqualTo("create");
    }

    @Test
    void helpOfEachVerbFitsAScreenAndEndsWithThreeExamples() throws Exception {
        for (Verb verb : Verbs.all()) {
            String help = Help.on(verb.name());
            assertThat(help.lines().count()).as(verb.name()).isLessThanOrEqualTo(24);
            assertThat(help.lines()).as(verb.name()).allMatch(line -> line.length() <= 100);
            assertThat(verb.examples()).as(verb.name()).hasSize(3);
            assertThat(help).endsWith(verb.examples().getLast() + "\n");
        }
    }

    @Test
    void theOverviewNamesEveryVerbAndFitsAScreen() {
        String overview = Help.overview();
        assertThat(overview.lines().count()).isLessThanOrEqualTo(24);
        assertThat(overview.lines()).allMatch(line -> line.length() <= 80);
        for (Verb verb : Verbs.all()) {
            assertThat(overview).containsPattern("(?m)^  [a-z, ]*\\b" + verb.name() + "\\b");
        }
    }

    @Test
    void everyExampleOfHelpIsACommandLineThatParses() throws Exception {
        for (Verb verb : Verbs.all()) {
            for (String example : verb.examples()) {
                if (example.startsWith("cortex ")) {
                    String command = example.contains(" | ") ? example.substring(0, example.indexOf(" | ")) : example;
                    assertThat(parse(command.substring(7).replace("'", "").split(" "))
                                    .verb())
                            .as(example)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void subjectsAreExplainedAndUnknownOnesSuggested() throws Exception {
        for (String subject : Subjects.names()) {
            String text = Help.on(subject);
            assertThat(text.lines().count()).as(subject).isLessThanOrEqualTo(24);
            assertThat(text.lines()).as(subject).allMatch(line -> line.length() <= 80);
            assertThat(text).as(subject).contains("Examples:");
        }
        assertThatThrownBy(() -> Help.on("setings"))
                .isInstanceOfSatisfying(
                        UsageException.class, e -> assertThat(e.remedy()).contains("settings"));
    }

    @Test
    void distanceCountsEditsAndSwapsOfNeighbours() {
        assertThat(Nearest.distance("cerate", "create")).isEqualTo(1);
        assertThat(Nearest.distance("exec", "exec")).isZero();
        assertThat(Nearest.distance("", "ls")).isEqualTo(2);
        assertThat(Nearest.of("zz", List.of("attach", "cp"))).isEmpty();
        assertThat(Nearest.of("insp", List.of("inspect"))).contains("inspect");
    }
}
