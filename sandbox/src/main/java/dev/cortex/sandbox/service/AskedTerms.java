package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.sandbox.terms.Egress;
import dev.cortex.sandbox.terms.Lifetime;
import dev.cortex.sandbox.terms.Lifetime.Restart;
import dev.cortex.sandbox.terms.Lifetime.Then;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.sandbox.terms.Terms;
import dev.cortex.sandbox.terms.Workspace;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Turns what a create asks for into the terms of its sandbox, or refuses it. */
final class AskedTerms {
    /** Beyond, no clock of ours is sure to be right. */
    private static final Duration LONGEST = Duration.ofDays(3_650);

    private final Drivers drivers;
    private final AskedFolder folders;
    private final AskedMounts mounts;
    private final Perimeter perimeter;

    AskedTerms(Drivers drivers, Folders folders, Perimeter perimeter) {
        this.drivers = drivers;
        this.folders = new AskedFolder(folders);
        this.mounts = new AskedMounts(this.folders);
        this.perimeter = perimeter;
    }

    Terms of(CreateSandbox request, SandboxDriver driver) {
        require(driver, Capability.LIVE_MOUNTS, !request.mounts().isEmpty(), "live mounts");
        require(driver, Capability.EGRESS, request.egress().isPresent(), "egress by name");
        Problems problems = new Problems();
        Terms terms = Terms.DEFAULT
                .with(rights(request, driver, problems))
                .with(mounts.of(request, driver, problems))
                .with(request.egress()
                        .map(asked -> perimeter.normalised(new Egress(asked.allowHosts())))
                        .orElse(Egress.NOTHING))
                .with(lifetime(request, driver, problems));
        problems.throwIfAny("cortex help create");
        return request.workspace()
                .map(asked -> terms.with(workspace(asked.folder(), driver)))
                .orElse(terms);
    }

    private Workspace workspace(String folder, SandboxDriver driver) {
        Workspaces.of(driver);
        return new Workspace(folders.real(folder, "copy"));
    }

    private Rights rights(CreateSandbox request, SandboxDriver driver, Problems problems) {
        Optional<Boolean> root = request.rights().flatMap(dev.cortex.protocol.api.Rights::root);
        Optional<String> seccomp = request.rights().flatMap(dev.cortex.protocol.api.Rights::seccomp);
        require(driver, Capability.ROOT_SESSIONS, root.orElse(false), "sessions as root");
        require(driver, Capability.SECCOMP_PROFILES, seccomp.isPresent(), "seccomp profiles");
        return new Rights(
                root.orElse(driver.capabilities().has(Capability.ROOT_SESSIONS)),
                seccomp.map(word -> seccomp(word, problems)).orElse(Rights.Seccomp.DEFAULT));
    }

    private static Rights.Seccomp seccomp(String word, Problems problems) {
        for (Rights.Seccomp profile : Rights.Seccomp.values()) {
            if (profile.word().equals(word.toLowerCase(Locale.ROOT))) {
                return profile;
            }
        }
        problems.require(false, "seccomp must be default, nested or debug");
        return Rights.Seccomp.DEFAULT;
    }

    private Lifetime lifetime(CreateSandbox request, SandboxDriver driver, Problems problems) {
        if (request.lifetime().isEmpty()) {
            return Lifetime.ENDLESS;
        }
        dev.cortex.protocol.api.Lifetime asked = request.lifetime().get();
        Lifetime lifetime = new Lifetime(
                limit("timeout", asked.timeoutMs(), problems),
                limit("idle timeout", asked.idleTimeoutMs(), problems),
                word("then", asked.then(), Then.values(), Then::word, problems),
                word("restart", asked.restart(), Restart.values(), Restart::word, problems));
        boolean ends = lifetime.timeout().isPresent() || lifetime.idle().isPresent();
        problems.require(ends || asked.then().isEmpty(), "then needs a timeout or an idle timeout");
        problems.require(
                lifetime.restart() == Restart.NO || !request.removeOnExit().orElse(false),
                "restart on-boot is for a sandbox that stays: remove_on_exit makes it go with its command");
        require(driver, Capability.PAUSE, lifetime.then() == Then.PAUSE, "pause");
        return lifetime;
    }

    private static Optional<Duration> limit(String name, Optional<Long> millis, Problems problems) {
        millis.ifPresent(value -> problems.require(
                value > 0 && value <= LONGEST.toMillis(), name + " must be 1 ms to " + LONGEST.toDays() + " days"));
        return millis.map(Duration::ofMillis);
    }

    private static <E> E word(
            String name, Optional<String> asked, E[] values, Function<E, String> word, Problems problems) {
        for (E value : values) {
            if (asked.isEmpty() || word.apply(value).equals(asked.get())) {
                return value;
            }
        }
        String words = Arrays.stream(values).map(word).collect(Collectors.joining(", "));
        problems.add(name + " must be one of " + words);
        return values[0];
    }

    private void require(SandboxDriver driver, Capability capability, boolean asked, String words) {
        if (asked && !driver.capabilities().has(capability)) {
            throw drivers.unsupported(driver, capability, words);
        }
    }
}
