package dev.cortex.drivers.launch;

import dev.cortex.sandbox.driver.Discovering;
import java.util.List;

/**
 * Asks what exists under the names of one home.
 *
 * @param cgroupParent the group above those of the home's sandboxes, empty where there is none
 */
public record DiscoverSpec(
        int version, String cgroupParent, String runFolder, List<String> folders, List<Suspect> suspects) {
    public DiscoverSpec {
        folders = List.copyOf(folders);
        suspects = List.copyOf(suspects);
    }

    static DiscoverSpec of(Discovering.Question question, String cgroupParent) {
        return new DiscoverSpec(
                LaunchSpec.VERSION,
                cgroupParent,
                question.run().toString(),
                question.folders().stream().map(Object::toString).toList(),
                question.suspects().stream()
                        .map(id -> new Suspect(id.value(), Mark.of(id)))
                        .toList());
    }

    /** @param key the sandbox's id */
    public record Suspect(String key, long mark) {}
}
