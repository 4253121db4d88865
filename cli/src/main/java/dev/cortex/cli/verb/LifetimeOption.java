package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Units;
import java.util.List;
import java.util.Optional;

/** {@code --timeout}, {@code --idle-timeout}, {@code --then} and {@code --restart}: how long a sandbox lives by itself. */
final class LifetimeOption {
    private static final List<String> THEN = List.of("stop", "pause", "remove");
    private static final List<String> RESTART = List.of("no", "on-boot");

    private LifetimeOption() {}

    /** Empty when none of them was given. */
    static Optional<Json> of(Invocation invocation) throws UsageException {
        Json.Building lifetime = Json.object();
        boolean any = time(invocation, "timeout", lifetime, "timeout_ms");
        any |= time(invocation, "idle-timeout", lifetime, "idle_timeout_ms");
        boolean ends = any;
        if (word(invocation, "then", THEN, lifetime)) {
            if (!ends) {
                throw new UsageException(
                        "--then says what happens at the end of a time that is not given",
                        "such as: --idle-timeout 1h --then pause");
            }
        }
        any |= word(invocation, "restart", RESTART, lifetime);
        return any ? Optional.of(lifetime.build()) : Optional.empty();
    }

    private static boolean time(Invocation invocation, String flag, Json.Building lifetime, String field)
            throws UsageException {
        Optional<String> time = invocation.text(flag);
        if (time.isPresent()) {
            lifetime.put(field, Units.millis("--" + flag, time.get()));
        }
        return time.isPresent();
    }

    private static boolean word(Invocation invocation, String flag, List<String> words, Json.Building lifetime)
            throws UsageException {
        Optional<String> word = invocation.text(flag);
        if (word.isPresent() && !words.contains(word.get())) {
            throw new UsageException(
                    "--" + flag + " '" + word.get() + "' is none of " + String.join(", ", words),
                    "such as: --" + flag + " " + words.getLast());
        }
        lifetime.put(flag, word);
        return word.isPresent();
    }

    /** In words for people, from what the daemon tells; empty without limits. */
    static String words(Json lifetime) {
        String then = lifetime.get("then").text();
        StringBuilder text = new StringBuilder();
        if (lifetime.get("timeout_ms").isPresent()) {
            text.append(Units.time(lifetime.get("timeout_ms").whole())).append(" at most");
        }
        if (lifetime.get("idle_timeout_ms").isPresent()) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(Units.time(lifetime.get("idle_timeout_ms").whole()))
                    .append(" when idle");
        }
        if (!text.isEmpty()) {
            text.append(", then ").append(then);
        }
        if (lifetime.get("restart").text().equals("on-boot")) {
            text.append(text.isEmpty() ? "" : "; ").append("starts when the machine does");
        }
        return text.toString();
    }
}
