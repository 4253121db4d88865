package dev.cortex.cli.session;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.cli.terminal.Units;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Writes the request that starts a session. What is not UTF-8 travels in base64. */
public final class SessionRequest {
    private SessionRequest() {}

    /**
     * @param terminal its size where the session gets one
     */
    public static Json of(
            Invocation invocation,
            String id,
            List<Word> argv,
            Optional<RawTerminal.Size> terminal,
            boolean stdin,
            boolean claim)
            throws UsageException {
        Json.Building request = Json.object().put("id", id);
        putTexts(request, "argv", argv);
        putEnvironment(request, invocation.values("env"));
        putText(request, "cwd", invocation.value("workdir"));
        request.put("user", invocation.text("user"));
        if (terminal.isPresent()) {
            String term = HostText.variable("TERM");
            request.put(
                    "terminal",
                    Json.object()
                            .put("term", term.isEmpty() ? "xterm" : term)
                            .put("rows", terminal.get().rows())
                            .put("columns", terminal.get().columns())
                            .build());
        }
        request.put("stdin", stdin || terminal.isPresent()).put("claim", claim);
        Optional<String> timeout = invocation.text("timeout");
        if (timeout.isPresent()) {
            request.put("timeout_ms", Units.millis("--timeout", timeout.get()));
        }
        if (invocation.has("background")) {
            request.put("background", true);
        }
        if (!invocation.verb().name().equals("run")) {
            request.put("label", invocation.text("label"));
        }
        return request.build();
    }

    static byte[] signal(String name, boolean all) {
        return JsonText.write(Json.object().put("signal", name).put("all", all).build());
    }

    /** {@code name}, or {@code name_b64} for all of them when one is no text. */
    private static void putTexts(Json.Building request, String name, List<Word> words) {
        boolean text = true;
        for (Word word : words) {
            text &= word.isText();
        }
        List<Json> values = new ArrayList<>();
        for (Word word : words) {
            values.add(Json.of(text ? word.text() : base64(word)));
        }
        request.put(name, Json.of(text ? values : List.of()));
        request.put(name + "_b64", Json.of(text ? List.of() : values));
    }

    private static void putText(Json.Building request, String name, Optional<Word> word) {
        if (word.isPresent()) {
            if (word.get().isText()) {
                request.put(name, word.get().text());
            } else {
                request.put(name + "_b64", base64(word.get()));
            }
        }
    }

    private static void putEnvironment(Json.Building request, List<Word> pairs) throws UsageException {
        Json.Building texts = Json.object();
        List<Json> bytes = new ArrayList<>();
        for (Word pair : Environment.withValues(pairs)) {
            if (pair.isText()) {
                int equals = pair.text().indexOf('=');
                texts.put(pair.text().substring(0, equals), pair.text().substring(equals + 1));
            } else {
                bytes.add(Json.of(base64(pair)));
            }
        }
        request.put("env", texts.build()).put("env_b64", Json.of(bytes));
    }

    private static String base64(Word word) {
        return Base64.getEncoder().encodeToString(word.bytes());
    }
}
