package dev.cortex.engine.handler;

import dev.cortex.protocol.api.Egress;
import dev.cortex.protocol.api.Lifetime;
import dev.cortex.protocol.api.LiveMount;
import dev.cortex.protocol.api.Rights;
import dev.cortex.protocol.api.Workspace;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A sandbox's terms as every surface shows them. */
final class TermsView {
    private TermsView() {}

    static Rights rights(SandboxRow row) {
        var rights = row.settings().terms().rights();
        return new Rights(
                Optional.of(rights.root()), Optional.of(rights.seccomp().word()));
    }

    static List<LiveMount> mounts(SandboxRow row) {
        return row.settings().terms().mounts().stream()
                .map(mount -> new LiveMount(
                        mount.host().toString(),
                        mount.guest(),
                        Optional.of(mount.readOnly()),
                        Optional.of(mount.writableHooks())))
                .toList();
    }

    static Optional<Workspace> workspace(SandboxRow row) {
        return row.settings()
                .terms()
                .workspace()
                .map(workspace -> new Workspace(workspace.folder().toString()));
    }

    static Egress egress(SandboxRow row) {
        return new Egress(row.settings().terms().egress().allowHosts());
    }

    static Lifetime lifetime(SandboxRow row) {
        var lifetime = row.settings().terms().lifetime();
        return new Lifetime(
                lifetime.timeout().map(Duration::toMillis),
                lifetime.idle().map(Duration::toMillis),
                Optional.of(lifetime.then().word()),
                Optional.of(lifetime.restart().word()));
    }
}
