package dev.cortex.engine.handler;

import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Exec;
import dev.cortex.protocol.api.Files;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.SandboxView.DiskView;
import dev.cortex.protocol.api.SandboxView.LimitsView;
import dev.cortex.protocol.api.SandboxView.UsageView;
import dev.cortex.protocol.api.SessionView;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.event.SandboxEvent;
import dev.cortex.sandbox.guest.GuestFiles.FileEntry;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import dev.cortex.sandbox.session.Output;
import dev.cortex.sandbox.session.ShellStatus;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The core's records as every surface shows them. */
final class Views {
    private Views() {}

    /** @param why it is in its state, or still alive */
    static SandboxView sandbox(
            SandboxRow row, String why, String user, Optional<GuestInfo> info, Optional<DiskView> disk) {
        Limits limits = row.settings().limits();
        return new SandboxView(
                row.id().value(),
                row.name(),
                row.state().word(),
                why,
                row.settings().driver(),
                row.settings().runtime(),
                row.settings().image(),
                row.settings().digest(),
                user,
                row.settings().workdir(),
                new LimitsView(limits.memoryBytes(), limits.cpus(), limits.processes(), limits.diskBytes()),
                row.settings().labels(),
                row.settings().removeOnExit(),
                row.primary(),
                row.created(),
                row.started(),
                row.stopped(),
                info.map(Views::usage),
                disk,
                TermsView.rights(row),
                TermsView.mounts(row),
                TermsView.workspace(row),
                TermsView.egress(row),
                TermsView.lifetime(row));
    }

    private static UsageView usage(GuestInfo info) {
        return new UsageView(
                info.memoryUsedBytes(),
                info.processes(),
                info.sessionsRunning(),
                info.sessionsStarted(),
                info.uptimeMs(),
                info.version());
    }

    static SessionView session(SandboxRow row, SessionStatus s) {
        List<Texts> argv = s.argv().stream().map(Texts::of).toList();
        boolean utf8 = argv.stream().allMatch(t -> t.text().isPresent());
        return new SessionView(
                s.id(),
                row.name(),
                state(s),
                s.pid(),
                utf8 ? argv.stream().map(t -> t.text().orElse("")).toList() : List.of(),
                utf8
                        ? List.of()
                        : s.argv().stream()
                                .map(Base64.getEncoder()::encodeToString)
                                .toList(),
                s.user(),
                s.terminal(),
                s.background(),
                s.label(),
                s.started(),
                s.ended(),
                s.cause().map(Views::word).orElse(""),
                s.cause().flatMap(cause -> ShellStatus.of(cause, s.code())),
                s.cause().filter(Views::hasSignal).map(cause -> s.code()),
                s.oldest(),
                s.newest(),
                s.evicted(),
                s.held(),
                s.observers(),
                s.descendantsLeft());
    }

    private static String state(SessionStatus s) {
        if (s.cause().isEmpty()) {
            return "running";
        }
        return s.cause().get() == Cause.UNKNOWN ? "unknown" : "exited";
    }

    private static boolean hasSignal(Cause cause) {
        return switch (cause) {
            case SIGNALED, TIMEOUT, OUT_OF_MEMORY, REMOVED -> true;
            case EXITED, NOT_FOUND, NOT_EXECUTABLE, UNKNOWN -> false;
        };
    }

    static Exec.Result result(Output output) {
        Texts stdout = output.truncated() ? Texts.ofTruncated(output.stdout()) : Texts.of(output.stdout());
        Texts stderr = output.truncated() ? Texts.ofTruncated(output.stderr()) : Texts.of(output.stderr());
        return new Exec.Result(
                output.session(),
                output.cause().map(Views::word).orElse(""),
                output.cause().flatMap(cause -> ShellStatus.of(cause, output.code())),
                stdout.text(),
                stdout.base64(),
                stderr.text(),
                stderr.base64(),
                output.truncated(),
                output.duration().toMillis());
    }

    static Files.Entry entry(FileEntry e) {
        Texts path = Texts.of(e.path());
        Optional<String> target =
                e.target().length == 0 ? Optional.empty() : Texts.of(e.target()).text();
        return new Files.Entry(
                path.text(),
                path.base64(),
                e.type().name().toLowerCase(Locale.ROOT),
                e.size(),
                e.mode(),
                Instant.EPOCH.plusNanos(e.modifiedNanos()),
                e.uid(),
                e.gid(),
                target);
    }

    static Daemon.Event event(SandboxEvent e) {
        return new Daemon.Event(
                e.sequence(),
                e.at(),
                e.kind(),
                e.sandbox().map(SandboxId::value).orElse(""),
                e.session(),
                e.detail());
    }

    private static String word(Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT);
    }
}
