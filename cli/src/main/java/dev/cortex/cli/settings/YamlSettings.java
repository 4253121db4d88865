package dev.cortex.cli.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads YAML. Loaded only when there is a file to read. */
final class YamlSettings {
    private static final int DEPTH = 8;

    private YamlSettings() {}

    /** It is YAML of another kind, or none. */
    static final class NotSettingsException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String words;

        NotSettingsException(String words) {
            super(words);
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** The scalars by their dotted key. */
    static Map<String, String> flatten(String yaml) throws NotSettingsException {
        Object root;
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setMaxAliasesForCollections(0)
                    .setAllowDuplicateKeys(false)
                    .build();
            root = new Load(settings).loadFromString(yaml);
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark()
                    .map(mark -> " (line " + (mark.getLine() + 1) + ")")
                    .orElse("");
            throw new NotSettingsException("is not YAML: " + e.getProblem() + where);
        } catch (YamlEngineException e) {
            throw new NotSettingsException("is not YAML: " + e.getMessage());
        }
        Map<String, String> values = new LinkedHashMap<>();
        if (root != null) {
            if (!(root instanceof Map<?, ?> map)) {
                throw new NotSettingsException("is not a list of settings: write KEY: VALUE lines");
            }
            flatten("", map, values, 0);
        }
        return values;
    }

    /** A list is its texts, separated by blanks. */
    private static String joined(String key, List<?> items) throws NotSettingsException {
        List<String> texts = new ArrayList<>();
        for (Object item : items) {
            if (item == null || item instanceof Map<?, ?> || item instanceof List<?>) {
                throw new NotSettingsException("'" + key + "' is not a list of texts");
            }
            texts.add(String.valueOf(item));
        }
        return String.join(" ", texts);
    }

    private static void flatten(String prefix, Map<?, ?> map, Map<String, String> values, int depth)
            throws NotSettingsException {
        if (depth > DEPTH) {
            throw new NotSettingsException("nests deeper than any setting");
        }
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String key = prefix + entry.getKey();
            Object value = entry.getValue();
            if (value instanceof Map<?, ?> inner) {
                flatten(key + ".", inner, values, depth + 1);
            } else if (value instanceof List<?> items) {
                values.put(key, joined(key, items));
            } else {
                values.put(key, value == null ? "" : String.valueOf(value));
            }
        }
    }
}
