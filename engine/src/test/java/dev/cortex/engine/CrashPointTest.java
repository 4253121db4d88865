package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.service.Boundaries;
import dev.cortex.sandbox.service.Boundary;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CrashPointTest {
    private final AtomicInteger ends = new AtomicInteger();

    private Boundaries at(String step) {
        return CrashPoint.of(Map.of(CrashPoint.VARIABLE, step), true, ends::incrementAndGet);
    }

    @Test
    void itEndsTheProcessAtThatStepAlone() {
        Boundaries boundaries = at("driver.started");
        boundaries.crossed(Boundary.FOLDERS_MADE);
        assertThat(ends).hasValue(0);
        boundaries.crossed(Boundary.DRIVER_STARTED);
        assertThat(ends).hasValue(1);
    }

    @Test
    void itCountsHowOftenAStepIsCrossed() {
        Boundaries boundaries = at("driver.started:3");
        boundaries.crossed(Boundary.DRIVER_STARTED);
        boundaries.crossed(Boundary.DRIVER_STARTED);
        assertThat(ends).hasValue(0);
        boundaries.crossed(Boundary.DRIVER_STARTED);
        assertThat(ends).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nowhere", "driver.started:", "driver.started:0", "driver.started:x", "driver.started:-1"})
    void whatIsNoStepIsRefusedWithAllThatAre(String step) {
        CortexException e = catchThrowableOfType(CortexException.class, () -> at(step));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(e.remedy().orElseThrow()).contains("driver.started", "erase.record", "pause.frozen");
    }

    @Test
    void aDaemonThatWasNotStartedForTestsRefusesToObeyAndToIgnore() {
        CortexException e = catchThrowableOfType(
                CortexException.class, () -> CrashPoint.of(Map.of(CrashPoint.VARIABLE, "driver.started"), false));
        assertThat(e.code()).isEqualTo(ErrorCode.DENIED);
        assertThat(CrashPoint.of(Map.of(), false)).isSameAs(Boundaries.NONE);
    }
}
