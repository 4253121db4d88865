package dev.cortex.sandbox;

import static dev.cortex.sandbox.State.CREATED;
import static dev.cortex.sandbox.State.ERROR;
import static dev.cortex.sandbox.State.PAUSED;
import static dev.cortex.sandbox.State.RUNNING;
import static dev.cortex.sandbox.State.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Lifecycle.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class LifecycleTest {
    /** The table of the design, word by word; a pair that is not here is refused. */
    private static final Map<Trigger, Map<State, String>> TABLE = Map.ofEntries(
            Map.entry(Trigger.START, Map.of(CREATED, "running", STOPPED, "running")),
            Map.entry(Trigger.PAUSE, Map.of(RUNNING, "paused")),
            Map.entry(Trigger.RESUME, Map.of(PAUSED, "running")),
            Map.entry(Trigger.STOP, Map.of(RUNNING, "stopped", PAUSED, "stopped")),
            Map.entry(Trigger.SNAPSHOT, Map.of(RUNNING, "running", PAUSED, "paused", STOPPED, "stopped")),
            Map.entry(Trigger.RESTORE, Map.of(RUNNING, "running", PAUSED, "running", STOPPED, "running")),
            Map.entry(Trigger.LOSE, Map.of(RUNNING, "stopped", PAUSED, "stopped")),
            Map.entry(Trigger.END_PRIMARY, Map.of(RUNNING, "gone")),
            Map.entry(
                    Trigger.FAIL,
                    Map.of(CREATED, "error", RUNNING, "error", PAUSED, "error", STOPPED, "error", ERROR, "error")),
            Map.entry(Trigger.RESET, Map.of(ERROR, "stopped")),
            Map.entry(Trigger.REMOVE, Map.of(CREATED, "gone", STOPPED, "gone", PAUSED, "gone", ERROR, "gone")));

    static List<Arguments> everyPair() {
        List<Arguments> pairs = new ArrayList<>();
        for (State from : State.values()) {
            for (Trigger trigger : Trigger.values()) {
                pairs.add(Arguments.of(from, trigger));
            }
        }
        return pairs;
    }

    @ParameterizedTest
    @MethodSource("everyPair")
    void everyPairDoesWhatTheTableSays(State from, Trigger trigger) {
        String expected = TABLE.getOrDefault(trigger, Map.of()).getOrDefault(from, "refused");
        String actual = switch (Lifecycle.transition(from, trigger)) {
            case Outcome.Becomes(State state) -> state.word();
            case Outcome.Gone gone -> "gone";
            case Outcome.Refused refused -> "refused";
        };
        assertThat(actual).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("everyPair")
    void aRefusalNamesTheStateTheTriggerAndWhatIsLegal(State from, Trigger trigger) {
        if (!(Lifecycle.transition(from, trigger) instanceof Outcome.Refused refused)) {
            assertThat(Lifecycle.legal(from)).contains(trigger);
            return;
        }
        assertThat(refused.legal()).isEqualTo(Lifecycle.legal(from)).doesNotContain(trigger);
        var error = refused.error("api");
        assertThat(error.code()).isEqualTo(ErrorCode.ILLEGAL_TRANSITION);
        assertThat(error.getMessage()).contains("api is ").containsAnyOf("already " + from.word(), trigger.word());
        for (Trigger legal : refused.legal()) {
            legal.verb()
                    .ifPresent(verb -> assertThat(error.remedy().orElseThrow())
                            .contains("from " + from.word() + " you can: ")
                            .contains(verb));
        }
    }

    @Test
    void whoAsksForWhatIsSoAlreadyIsToldThat() {
        assertThat(refusal(PAUSED, Trigger.PAUSE)).isEqualTo("eval3 is already paused");
        assertThat(refusal(RUNNING, Trigger.RESUME)).isEqualTo("eval3 is already running");
        assertThat(refusal(STOPPED, Trigger.PAUSE)).isEqualTo("eval3 is stopped: pause is illegal");
        assertThat(refusal(CREATED, Trigger.SNAPSHOT)).isEqualTo("eval3 is created: snapshot is illegal");
    }

    private static String refusal(State from, Trigger trigger) {
        return ((Outcome.Refused) Lifecycle.transition(from, trigger))
                .error("eval3")
                .getMessage();
    }
}
