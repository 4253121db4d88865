package dev.cortex.drivers.disk;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Map;
import java.util.Optional;

/** How a home keeps its disks. */
public record PoolSettings(PoolChoice choice, PoolSizes sizes) {
    /** The variable that names the choice. */
    public static final String VARIABLE = "CORTEX_DISK_POOL";

    public static final PoolSettings USUAL = new PoolSettings(PoolChoice.AUTO, PoolSizes.USUAL);

    public static final PoolSettings PLAIN = new PoolSettings(PoolChoice.FOLDER, PoolSizes.USUAL);

    /**
     * What the environment says, else the usual.
     *
     * @throws CortexException INVALID_ARGUMENT when it names no choice
     */
    public static PoolSettings of(Map<String, String> environment) {
        String text = environment.getOrDefault(VARIABLE, "");
        return text.isEmpty() ? USUAL : USUAL.with(parse(VARIABLE, text));
    }

    /**
     * The choice in a text.
     *
     * @param source of it, for people
     * @throws CortexException INVALID_ARGUMENT when it is none
     */
    public static PoolChoice parse(String source, String text) {
        Optional<PoolChoice> choice = PoolChoice.of(text);
        return choice.orElseThrow(() -> CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                source + ": '" + text + "' is no pool of disks",
                "write auto, folder or btrfs"));
    }

    public PoolSettings with(PoolChoice newChoice) {
        return new PoolSettings(newChoice, sizes);
    }

    public PoolSettings with(PoolSizes newSizes) {
        return new PoolSettings(choice, newSizes);
    }
}
