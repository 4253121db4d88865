package dev.cortex.cli.verb;

import dev.cortex.cli.host.Child;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.settings.Settings;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** When something is missing that a command can install: offers that, and tries again. */
final class Readying {
    private final Context context;
    private final Output output;

    Readying(Context context) {
        this.context = context;
        this.output = context.output();
    }

    /**
     * @throws CortexException what {@code attempt} throws, NOT_READY where the person did not agree
     */
    <T> T retrying(Supplier<T> attempt) {
        try {
            return attempt.get();
        } catch (CortexException e) {
            if (e.code() != ErrorCode.NOT_READY) {
                throw e;
            }
            List<Json> missing = fixable();
            if (missing.isEmpty()) {
                throw e;
            }
            // The script may have offered the same already.
            boolean mayAsk = !Boolean.getBoolean("cortex.asked");
            for (Json what : missing) {
                if (!mayAsk || !agrees(what)) {
                    throw withFix(e, missing);
                }
                install(what);
            }
            return attempt.get();
        }
    }

    /** What the strongest driver misses and a command can install. */
    private List<Json> fixable() {
        String wanted = context.settings().values().getOrDefault("driver", NONE).value();
        Json readiness = context.daemon().call(Request.of(Operations.READINESS));
        for (Json driver : readiness.get("drivers").items()) {
            if (!fits(driver, wanted) || driver.get("state").text().equals("ready")) {
                continue;
            }
            List<Json> missing = new ArrayList<>();
            for (Json what : driver.get("missing").items()) {
                if (what.get("fixable").isTrue()) {
                    missing.add(what);
                }
            }
            if (!missing.isEmpty()) {
                return missing;
            }
        }
        return List.of();
    }

    private static final Settings.Resolved NONE = new Settings.Resolved("auto", "", false, Path.of("/"));

    private static boolean fits(Json driver, String wanted) {
        String name = driver.get("driver").text();
        String whole = name + "/" + driver.get("runtime").text();
        return wanted.equals(name) || wanted.equals(whole) || (wanted.startsWith("auto") && !name.equals("process"));
    }

    private boolean agrees(Json missing) {
        String fix = missing.get("fix").text();
        if (context.agreed()) {
            output.say("cortex: " + what(missing) + ", running: " + fix);
            return true;
        }
        if (output.json() || !Descriptors.isTerminal(0) || !Descriptors.isTerminal(2)) {
            return false;
        }
        output.write(
                "cortex: " + missing.get("what").text() + " is missing. Install it now? It runs: " + fix + "  [Y/n] ");
        try {
            String answer = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            if (answer == null) {
                return false;
            }
            String word = answer.strip().toLowerCase(Locale.ROOT);
            return word.isEmpty() || word.equals("y") || word.equals("yes");
        } catch (IOException e) {
            return false;
        }
    }

    /** The command is the daemon's own, which runs as the same user; a shell splits it. Its output goes to stderr. */
    private void install(Json missing) {
        String fix = missing.get("fix").text();
        try {
            Child child = Child.run(List.of("/bin/sh", "-c", "{ " + fix + "\n} 1>&2 </dev/null"));
            if (child.status() == 0) {
                return;
            }
        } catch (IOException e) {
            throw failed(fix).because(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw failed(fix);
    }

    private static CortexException failed(String fix) {
        return CortexException.of(
                ErrorCode.NOT_READY, "this did not work: " + fix, "run it yourself, and see above why");
    }

    /** Such as {@code crun is missing}. */
    private static String what(Json missing) {
        String words = missing.get("what").text();
        return words.contains(" ") ? words : words + " is missing";
    }

    private CortexException withFix(CortexException e, List<Json> missing) {
        StringBuilder fix = new StringBuilder();
        for (Json what : missing) {
            fix.append(!fix.isEmpty() ? " && " : "").append(what.get("fix").text());
        }
        if (!output.json() && !context.agreed()) {
            fix.append("        (or run again with --yes)");
        }
        CortexException told = CortexException.of(e.code(), e.getMessage(), fix.toString());
        return e.reason().isPresent() ? told.because(e.reason().get()) : told;
    }
}
