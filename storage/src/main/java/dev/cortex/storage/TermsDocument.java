package dev.cortex.storage;

import dev.cortex.sandbox.terms.Egress;
import dev.cortex.sandbox.terms.Lifetime;
import dev.cortex.sandbox.terms.LiveMount;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.sandbox.terms.Terms;
import dev.cortex.sandbox.terms.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A sandbox's terms as they are kept. */
record TermsDocument(
        boolean root,
        Rights.Seccomp seccomp,
        List<MountDocument> mounts,
        Optional<String> workspace,
        List<String> allowHosts,
        Optional<Long> timeoutMs,
        Optional<Long> idleMs,
        Lifetime.Then then,
        Lifetime.Restart restart) {

    record MountDocument(String host, String guest, boolean readOnly, boolean writableHooks) {
        static MountDocument of(LiveMount mount) {
            return new MountDocument(mount.host().toString(), mount.guest(), mount.readOnly(), mount.writableHooks());
        }

        LiveMount mount() {
            return new LiveMount(Path.of(host), guest, readOnly, writableHooks);
        }
    }

    static TermsDocument of(Terms terms) {
        Lifetime lifetime = terms.lifetime();
        return new TermsDocument(
                terms.rights().root(),
                terms.rights().seccomp(),
                terms.mounts().stream().map(MountDocument::of).toList(),
                terms.workspace().map(workspace -> workspace.folder().toString()),
                terms.egress().allowHosts(),
                lifetime.timeout().map(Duration::toMillis),
                lifetime.idle().map(Duration::toMillis),
                lifetime.then(),
                lifetime.restart());
    }

    Terms terms() {
        return new Terms(
                new Rights(root, seccomp),
                mounts.stream().map(MountDocument::mount).toList(),
                workspace.map(folder -> new Workspace(Path.of(folder))),
                new Egress(allowHosts),
                new Lifetime(timeoutMs.map(Duration::ofMillis), idleMs.map(Duration::ofMillis), then, restart));
    }
}
