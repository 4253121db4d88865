package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.Optional;

/** An operation that is cut off: what is made before it, the operation, and what must come of making it again. */
enum HaltedOperation {
    CREATE,
    START,
    STOP,
    PAUSE,
    RESUME,
    STOP_PAUSED,
    REMOVE,
    FORCE,
    FORCE_PAUSED,
    WIPE,
    /** Of the warm pool, which is switched on for these alone. */
    FILL,
    HAND_OUT,
    DRAIN;

    static final String NAME = "victim";
    private static final Duration GRACE = Duration.ofMillis(100);

    /** How the home of the one that is cut off is opened. Whoever opens it next has no warm pool. */
    CortexOptions options(Home home) {
        return CortexOptions.at(home).withSpares(isOfSpares() ? 1 : 0);
    }

    /** The pool works by itself from the moment that the home is open. */
    boolean isOfSpares() {
        return this == FILL || this == HAND_OUT || this == DRAIN;
    }

    /** So that the operation can be made. */
    void prepare(Cortex cortex, String driver) {
        SandboxService core = cortex.sandboxes();
        switch (this) {
            case CREATE, FILL, HAND_OUT, DRAIN -> {}
            case START, REMOVE -> {
                core.create(request(driver));
                core.stop(NAME, GRACE);
            }
            case STOP, PAUSE, FORCE, WIPE -> withASession(core, driver);
            case RESUME, STOP_PAUSED, FORCE_PAUSED -> {
                withASession(core, driver);
                core.pause(NAME);
            }
        }
    }

    private static void withASession(SandboxService core, String driver) {
        core.create(request(driver));
        core.sessions().start(NAME, StartSession.of("sh", "-c", "setsid sleep 1000 & echo begun; sleep 1000"));
    }

    void make(Cortex cortex, String driver) {
        SandboxService core = cortex.sandboxes();
        switch (this) {
            case FILL -> core.spares().replenish();
            case DRAIN -> {
                core.spares().replenish();
                core.spares().drain();
            }
            case CREATE, HAND_OUT -> {
                core.spares().replenish();
                core.create(request(driver)
                        .with(draft -> draft.primary =
                                Optional.of(StartSession.of("sh", "-c", "setsid sleep 1000 & sleep 1000"))));
            }
            case START -> core.start(NAME);
            case STOP, STOP_PAUSED -> core.stop(NAME, GRACE);
            case PAUSE -> core.pause(NAME);
            case RESUME -> core.resume(NAME);
            case REMOVE -> core.remove(NAME, false, false);
            case FORCE, FORCE_PAUSED -> core.remove(NAME, true, false);
            case WIPE -> core.remove(NAME, true, true);
        }
    }

    /** Made again, or found done; afterwards the sandbox is what the operation is to make of it. */
    void again(Cortex cortex, String driver) {
        Optional<State> now = state(cortex);
        State then = goal();
        if (now.isEmpty() ? this == CREATE || this == HAND_OUT : !now.get().equals(then)) {
            make(cortex, driver);
        }
        if (leavesNothing()) {
            assertThat(state(cortex)).isEmpty();
        } else {
            assertThat(state(cortex)).contains(then);
        }
        if (then == State.RUNNING) {
            assertThat(cortex.sandbox(NAME).exec("echo", "alive").stdout()).contains("alive\n");
        }
    }

    boolean leavesNothing() {
        return switch (this) {
            case REMOVE, FORCE, FORCE_PAUSED, WIPE, FILL, DRAIN -> true;
            case CREATE, HAND_OUT, START, STOP, PAUSE, RESUME, STOP_PAUSED -> false;
        };
    }

    private State goal() {
        return switch (this) {
            case CREATE, HAND_OUT, START, RESUME -> State.RUNNING;
            case PAUSE -> State.PAUSED;
            case STOP, STOP_PAUSED, REMOVE, FORCE, FORCE_PAUSED, WIPE, FILL, DRAIN -> State.STOPPED;
        };
    }

    private static Optional<State> state(Cortex cortex) {
        return cortex.sandboxes().list("", 9).stream().map(SandboxRow::state).findFirst();
    }

    private static CreateSandbox request(String driver) {
        return CreateSandbox.defaults().named(NAME).on(driver).allowingInsecureProcess();
    }
}
