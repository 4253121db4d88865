package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.terms.Egress;
import dev.cortex.sandbox.terms.Lifetime;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.sandbox.terms.Terms;
import java.util.Locale;
import java.util.Optional;

/** Turns what a create asks for into the terms of its sandbox, or refuses it. */
final class AskedTerms {
    private final Drivers drivers;
    private final AskedMounts mounts;

    AskedTerms(Drivers drivers, Folders folders) {
        this.drivers = drivers;
        this.mounts = new AskedMounts(folders);
    }

    Terms of(CreateSandbox request, SandboxDriver driver) {
        require(driver, Capability.LIVE_MOUNTS, !request.mounts().isEmpty(), "live mounts");
        require(driver, Capability.EGRESS, request.egress().isPresent(), "egress by name");
        refuse(request.workspace().isPresent(), "workspaces");
        refuse(request.lifetime().isPresent(), "lifetimes");
        Problems problems = new Problems();
        Terms terms = Terms.DEFAULT
                .with(rights(request, driver, problems))
                .with(mounts.of(request, driver, problems))
                .with(request.egress()
                        .map(asked -> new Egress(asked.allowHosts()))
                        .orElse(Egress.NOTHING))
                .with(Lifetime.ENDLESS);
        problems.throwIfAny("cortex help create");
        return terms;
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

    private void require(SandboxDriver driver, Capability capability, boolean asked, String words) {
        if (asked && !driver.capabilities().has(capability)) {
            throw drivers.unsupported(driver, capability, words);
        }
    }

    /** Of what no driver has yet. */
    private static void refuse(boolean asked, String words) {
        if (asked) {
            throw CortexException.of(ErrorCode.UNSUPPORTED, "this version has no " + words, "leave it out");
        }
    }
}
