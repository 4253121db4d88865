package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.SandboxName;
import dev.cortex.sandbox.driver.Capabilities;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageResolver;
import dev.cortex.sandbox.session.SessionRequests;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.sandbox.store.SandboxStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Decides whether a sandbox can be made as asked, and what it gets where nothing was asked. Makes nothing. */
final class Admission {
    /** Less does not hold a neuron and a shell. */
    private static final long LEAST_MEMORY = 16L << 20;

    private static final long LEAST_DISK = 16L << 20;

    /** Less does not hold a neuron's threads and a session. */
    private static final long LEAST_PROCESSES = 16;

    private static final double MOST_CPUS = 4_096;
    private static final int MOST_LABELS = 64;
    private static final int LABEL_CHARACTERS = 256;

    private final Drivers drivers;
    private final ImageResolver images;
    private final SandboxStore store;
    private final SessionRequests sessions;
    private final RandomGenerator random;
    private final AskedTerms terms;

    Admission(Ports ports, Drivers drivers, SessionRequests sessions, RandomGenerator random) {
        this.drivers = drivers;
        this.images = ports.images();
        this.store = ports.store();
        this.sessions = sessions;
        this.random = random;
        this.terms = new AskedTerms(drivers, ports.folders(), ports.perimeter());
    }

    Plan plan(CreateSandbox request, String createKey) {
        check(request);
        Optional<String> asked = request.name().map(name -> new SandboxName(name).value());
        asked.ifPresent(this::requireFree);
        String user = request.user().orElse("");
        Drivers.Choice choice = drivers.choose(
                request.driver().orElse("auto"),
                request.runtime(),
                request.allowInsecureProcess().orElse(false));
        SandboxDriver driver = choice.driver();
        requireUsers(driver, request);
        Limits limits = limits(request, driver);
        Image image = images.resolve(request.image().orElse("host"));
        requireImages(driver, image);
        String imageUser = user.isEmpty() ? image.config().user().orElse("") : user;
        Optional<SessionSpec> primary =
                request.primary().map(session -> sessions.spec(ImageCommand.of(session, request, image), imageUser));
        String name = asked.orElseGet(this::freeName);
        SandboxSettings settings = new SandboxSettings(
                driver.name(),
                choice.runtime().orElse(""),
                image.reference(),
                image.digest().orElse(""),
                limits,
                environment(image, request),
                request.labels(),
                imageUser,
                "",
                request.removeOnExit().orElse(false),
                name,
                createKey,
                terms.of(request, driver));
        return new Plan(
                name,
                asked.isEmpty(),
                driver,
                image,
                settings,
                request.workdir()
                        .or(() -> request.workspace().isPresent()
                                ? Optional.empty()
                                : image.config().workdir()),
                request.diskBytes().isPresent(),
                primary,
                request.start().orElse(true),
                request.wipe().orElse(false));
    }

    private static void check(CreateSandbox request) {
        Problems problems = new Problems();
        request.memoryBytes()
                .ifPresent(bytes -> problems.require(
                        bytes == 0 || bytes >= LEAST_MEMORY, "memory must be at least 16 MiB, or 0 for no limit"));
        request.cpus()
                .ifPresent(cpus -> problems.require(
                        cpus >= 0 && cpus <= MOST_CPUS, "cpus must be 0 (no limit) to " + (int) MOST_CPUS));
        request.processes()
                .ifPresent(count -> problems.require(
                        count == 0 || count >= LEAST_PROCESSES, "processes must be at least 16, or 0 for no limit"));
        request.diskBytes()
                .ifPresent(bytes -> problems.require(
                        bytes == 0 || bytes >= LEAST_DISK, "disk must be at least 16 MiB, or 0 for no limit"));
        request.env()
                .forEach((key, value) -> problems.require(
                        !key.isEmpty() && key.indexOf('=') < 0 && key.indexOf('\0') < 0 && value.indexOf('\0') < 0,
                        "a variable's name is empty or holds '=', or there is a NUL"));
        request.workdir()
                .ifPresent(path -> problems.require(
                        path.startsWith("/") && path.indexOf('\0') < 0, "workdir must be an absolute path"));
        problems.require(request.labels().size() <= MOST_LABELS, "more than " + MOST_LABELS + " labels");
        request.labels()
                .forEach((key, value) -> problems.require(
                        !key.isEmpty() && key.length() <= LABEL_CHARACTERS && value.length() <= LABEL_CHARACTERS,
                        "a label's name is empty, or longer than " + LABEL_CHARACTERS + " characters"));
        boolean removeOnExit = request.removeOnExit().orElse(false);
        problems.require(
                !removeOnExit || request.primary().isPresent(), "remove_on_exit needs a primary session to wait for");
        problems.require(
                request.primary().isEmpty() || request.start().orElse(true), "a primary session needs start: true");
        problems.throwIfAny("cortex help create");
    }

    /** Before anything slow; the store has the last word. */
    private void requireFree(String name) {
        store.findByName(name).ifPresent(row -> {
            throw nameTaken(row.name(), row.state().word());
        });
    }

    static CortexException nameTaken(String name, String state) {
        return CortexException.of(
                ErrorCode.ALREADY_EXISTS,
                "the name " + name + " is taken (" + state + ")",
                "use another name, or: cortex rm --force " + name
                        + "        (its disk stays; add --wipe to delete it)");
    }

    private void requireUsers(SandboxDriver driver, CreateSandbox request) {
        if (request.user().isPresent() && !driver.capabilities().has(Capability.USERS)) {
            throw drivers.unsupported(driver, Capability.USERS, "users other than its own");
        }
    }

    private void requireImages(SandboxDriver driver, Image image) {
        if (!(image.root() instanceof Image.Root.Host) && !driver.capabilities().has(Capability.IMAGES)) {
            throw drivers.unsupported(driver, Capability.IMAGES, "images");
        }
    }

    /** An explicit limit is held or refused; a default that cannot be held is shown as none. */
    private Limits limits(CreateSandbox request, SandboxDriver driver) {
        Capabilities can = driver.capabilities();
        Limits byDefault = Limits.DEFAULT;
        return new Limits(
                limit(
                        request.memoryBytes(),
                        byDefault.memoryBytes(),
                        0L,
                        can.has(Capability.MEMORY_LIMIT),
                        () -> drivers.unsupported(driver, Capability.MEMORY_LIMIT, "memory limit")),
                limit(
                        request.cpus(),
                        byDefault.cpus(),
                        0.0,
                        can.has(Capability.CPU_LIMIT),
                        () -> drivers.unsupported(driver, Capability.CPU_LIMIT, "cpu limit")),
                limit(
                        request.processes(),
                        byDefault.processes(),
                        0L,
                        can.has(Capability.PROCESS_LIMIT),
                        () -> drivers.unsupported(driver, Capability.PROCESS_LIMIT, "limit of processes")),
                limit(
                        request.diskBytes(),
                        byDefault.diskBytes(),
                        0L,
                        can.has(Capability.DISK_LIMIT),
                        () -> drivers.unsupported(driver, Capability.DISK_LIMIT, "disk limit")));
    }

    private static <N extends Number> N limit(
            Optional<N> asked,
            N byDefault,
            N none,
            boolean possible,
            java.util.function.Supplier<CortexException> refusal) {
        if (possible) {
            return asked.orElse(byDefault);
        }
        if (asked.isPresent() && asked.get().doubleValue() != 0) {
            throw refusal.get();
        }
        return none;
    }

    private static Map<String, String> environment(Image image, CreateSandbox request) {
        Map<String, String> all = new LinkedHashMap<>(image.config().environment());
        all.putAll(request.env());
        return all;
    }

    private String freeName() {
        String name = SandboxName.madeUp(random).value();
        while (store.findByName(name).isPresent() || store.disk(name).isPresent()) {
            name = SandboxName.madeUp(random).value();
        }
        return name;
    }
}
