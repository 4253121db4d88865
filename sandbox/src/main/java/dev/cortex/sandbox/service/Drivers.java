package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The drivers of this home, and which of them a sandbox gets. Never falls back to weaker isolation. */
public final class Drivers {
    private final List<SandboxDriver> all;

    Drivers(List<SandboxDriver> all) {
        this.all = List.copyOf(all);
    }

    public List<SandboxDriver> all() {
        return all;
    }

    /** The driver of a record. */
    SandboxDriver named(String name) {
        return find(name)
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.UNSUPPORTED,
                        "this Cortex has no driver " + name,
                        "run the version that made the sandbox; drivers here: " + names()));
    }

    /**
     * The driver and runtime for a new sandbox.
     *
     * @param asked {@code auto}, a driver, or {@code driver/runtime}
     */
    Choice choose(String asked, Optional<String> runtime, boolean insecureAllowed) {
        int slash = asked.indexOf('/');
        if (slash > 0) {
            return choose(asked.substring(0, slash), Optional.of(asked.substring(slash + 1)), insecureAllowed);
        }
        return asked.equals("auto") ? automatic(runtime) : explicit(asked, runtime, insecureAllowed);
    }

    /** Fails unless the driver can work here and now. */
    static Readiness requireReady(SandboxDriver driver, Optional<String> runtime) {
        Readiness readiness = check(driver, runtime);
        if (!readiness.ready()) {
            throw notReady(readiness);
        }
        return readiness;
    }

    private static Readiness check(SandboxDriver driver, Optional<String> runtime) {
        return runtime.map(driver::check).orElseGet(driver::check);
    }

    /** The names of the drivers that have a capability, for an error. */
    String having(Capability capability) {
        String names = all.stream()
                .filter(driver -> driver.capabilities().has(capability))
                .map(SandboxDriver::name)
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "none here" : names;
    }

    private Choice automatic(Optional<String> runtime) {
        Optional<CortexException> first = Optional.empty();
        for (SandboxDriver driver : all) {
            if (!driver.capabilities().has(Capability.ISOLATION)) {
                continue;
            }
            Readiness readiness = check(driver, runtime);
            if (readiness.ready()) {
                return new Choice(driver, runtime.or(readiness::runtime));
            }
            if (first.isEmpty()) {
                first = Optional.of(notReady(readiness));
            }
        }
        throw first.orElseGet(() -> CortexException.of(
                ErrorCode.NOT_READY, "no driver here isolates anything", "cortex doctor says what is missing"));
    }

    private Choice explicit(String name, Optional<String> runtime, boolean insecureAllowed) {
        SandboxDriver driver = find(name)
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.INVALID_ARGUMENT, "there is no driver " + name, "drivers here: auto, " + names()));
        if (!driver.capabilities().has(Capability.ISOLATION) && !insecureAllowed) {
            throw CortexException.of(
                            ErrorCode.DENIED,
                            "the driver " + name + " isolates nothing: what runs in it has your own rights",
                            "for code that you trust: CORTEX_ALLOW_INSECURE_PROCESS=1; else leave --driver out")
                    .because("rule: " + name + " needs CORTEX_ALLOW_INSECURE_PROCESS=1");
        }
        Readiness readiness = requireReady(driver, runtime);
        return new Choice(driver, runtime.or(readiness::runtime));
    }

    private static CortexException notReady(Readiness readiness) {
        Readiness.Missing first = readiness.missing().getFirst();
        String all = readiness.missing().stream().map(Readiness.Missing::what).collect(Collectors.joining("; "));
        return CortexException.of(ErrorCode.NOT_READY, "not ready: " + all, first.fix());
    }

    private Optional<SandboxDriver> find(String name) {
        return all.stream().filter(driver -> driver.name().equals(name)).findFirst();
    }

    private String names() {
        return all.stream().map(SandboxDriver::name).collect(Collectors.joining(", "));
    }

    /** What a sandbox gets. */
    record Choice(SandboxDriver driver, Optional<String> runtime) {}

    /** What a driver lacks, and which have it. */
    CortexException unsupported(SandboxDriver driver, Capability capability, String words) {
        return CortexException.of(
                ErrorCode.UNSUPPORTED,
                "the driver " + driver.name() + " has no " + words + " here (" + capability + ")",
                "leave it out, or use a driver that has it: " + having(capability));
    }
}
