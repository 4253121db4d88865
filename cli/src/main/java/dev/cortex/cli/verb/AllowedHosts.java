package dev.cortex.cli.verb;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.settings.Settings;
import java.util.ArrayList;
import java.util.List;

/** What {@code --allow-host} and the setting {@code egress.allow} say together. */
final class AllowedHosts {
    private AllowedHosts() {}

    /** For the request that makes a sandbox; absent where nothing is allowed. */
    static Json of(List<Word> flags, Settings settings) {
        List<Json> hosts = new ArrayList<>();
        Settings.Resolved setting = settings.values().get("egress.allow");
        if (setting != null && setting.set()) {
            for (String host : setting.value().split("[,\\s]+")) {
                if (!host.isEmpty()) {
                    hosts.add(Json.of(host));
                }
            }
        }
        hosts.addAll(texts(flags));
        return hosts.isEmpty()
                ? Json.ABSENT
                : Json.object().put("allow_hosts", Json.of(hosts)).build();
    }

    static List<Json> texts(List<Word> words) {
        List<Json> texts = new ArrayList<>();
        for (Word word : words) {
            texts.add(Json.of(word.text()));
        }
        return texts;
    }
}
