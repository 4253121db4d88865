package dev.cortex.cli.verb;

import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.terminal.IsoTime;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Decisions of a sandbox, a line each and beneath it what would allow the same. */
final class EgressLog {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("MM-dd HH:mm:ss");
    private static final int WHERE = 32;
    private static final int WHY = 28;

    /** A daemon that is started again serves within two seconds. */
    private static final long AGAIN_MILLIS = 500;

    /** A page has no more, and only decisions of a page come twice: whoever follows for days remembers no more. */
    private static final int REMEMBERED = 10_000;

    private final Context context;
    private final Output output;
    private final String sandbox;
    private final long most;

    /** What was printed last, so that what is followed does not repeat it. */
    private final Set<Json> printed = new LinkedHashSet<>();

    /** @param most of the latest, 0: what the daemon thinks fit */
    EgressLog(Context context, String sandbox, long most) {
        this.context = context;
        this.output = context.output();
        this.sandbox = sandbox;
        this.most = most;
    }

    void print() {
        Json page = page();
        if (output.json()) {
            output.data("egress_log", page);
            return;
        }
        List<Json> decisions = page.get("decisions").items();
        if (decisions.isEmpty()) {
            output.say("cortex: " + sandbox + " has asked for nothing yet");
        }
        decisions.forEach(this::print);
    }

    private Json page() {
        Request request = Request.of(Operations.EGRESS_LOG, sandbox);
        if (most > 0) {
            request.query("most", Long.toString(most));
        }
        return context.daemon().call(request);
    }

    /** Prints what there is and what comes, until Ctrl-C. */
    int follow() {
        Signals.handle("INT", () -> System.exit(ExitStatus.INTERRUPTED));
        Daemon.Download first = open();
        if (output.json()) {
            page().get("decisions").items().forEach(this::remember);
        } else {
            print();
        }
        readOn(first);
        while (true) {
            rest();
            again();
        }
    }

    /** A daemon that was stopped is not started again by whoever watches it. */
    private void again() {
        try {
            if (context.daemon().isRunning()) {
                Daemon.Download events = open();
                // What was decided before this daemon was heard.
                page().get("decisions").items().forEach(this::tell);
                readOn(events);
            }
        } catch (CortexException e) {
            // One that is just ending loses the connection before its answer.
            requireLost(e);
        }
    }

    private void readOn(Daemon.Download events) {
        try {
            read(events);
        } catch (CortexException e) {
            requireLost(e);
        } finally {
            events.close();
        }
    }

    private static void requireLost(CortexException e) {
        if (e.code() != ErrorCode.INTERNAL) {
            throw e;
        }
    }

    private Daemon.Download open() {
        return context.daemon().download(Request.of(Operations.EGRESS_FOLLOW, sandbox));
    }

    private static void rest() {
        try {
            Thread.sleep(AGAIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Server-sent events: of each only the line of data matters. */
    private void read(Daemon.Download events) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (Optional<ByteBuffer> next = events.next(); next.isPresent(); next = events.next()) {
            ByteBuffer bytes = next.get();
            while (bytes.hasRemaining()) {
                byte b = bytes.get();
                if (b == '\n') {
                    event(line.toByteArray());
                    line.reset();
                } else {
                    line.write(b);
                }
            }
        }
    }

    private void event(byte[] line) {
        String data = "data: ";
        if (line.length <= data.length() || line[0] != 'd') {
            return;
        }
        Json decision;
        try {
            decision = JsonText.read(Arrays.copyOfRange(line, data.length(), line.length));
        } catch (JsonText.NotJsonException e) {
            throw Daemon.lost(e);
        }
        tell(decision);
    }

    private void tell(Json decision) {
        if (printed.contains(decision)) {
            return;
        }
        if (output.json()) {
            remember(decision);
            output.data("egress_decision", decision);
        } else {
            print(decision);
        }
    }

    private void remember(Json decision) {
        printed.add(decision);
        if (printed.size() > REMEMBERED) {
            printed.remove(printed.iterator().next());
        }
    }

    private void print(Json decision) {
        remember(decision);
        String verdict = decision.get("verdict").text();
        String count =
                decision.get("count").whole() > 1 ? " ×" + decision.get("count").text() : "";
        String where = Printable.of(decision.get("host").text())
                + (decision.get("port").whole() > 0 ? ":" + decision.get("port").text() : "")
                + count;
        String line = time(decision.get("at").text()) + "  " + colored(verdict, padded(verdict, 5)) + "  "
                + padded(where, WHERE) + "  " + padded(why(decision), WHY) + "  " + who(decision);
        output.line(line.stripTrailing());
        String remedy = Printable.of(decision.get("remedy").text());
        if (!remedy.isEmpty()) {
            output.line("  allow it: " + remedy);
        }
    }

    private static String time(String iso) {
        var at = Instant.ofEpochMilli(IsoTime.millis(iso)).atZone(ZoneId.systemDefault());
        boolean today = at.toLocalDate().equals(java.time.LocalDate.now(ZoneId.systemDefault()));
        return at.format(today ? TIME : DAY);
    }

    private String colored(String verdict, String text) {
        return switch (verdict) {
            case "allow" -> output.green(text);
            case "deny", "cut" -> output.red(text);
            default -> output.yellow(text);
        };
    }

    private static String why(Json decision) {
        String rule = decision.get("rule").text();
        String reason = Printable.of(decision.get("reason").text());
        if (rule.isEmpty()) {
            return reason;
        }
        return "rule " + Printable.of(rule) + (reason.isEmpty() ? "" : ", " + reason);
    }

    private static String who(Json decision) {
        String program = Printable.of(decision.get("program").text());
        String session = Printable.of(decision.get("session").text());
        if (session.isEmpty()) {
            return program;
        }
        return (program.isEmpty() ? "" : program + ", ") + "session " + session;
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.codePointCount(0, text.length())));
    }
}
