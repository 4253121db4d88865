package dev.cortex.sandbox.terms;

import java.nio.file.Path;

/**
 * A folder of the host, shown live.
 *
 * @param host absolute
 * @param guest absolute, as it is called inside
 * @param writableHooks also what the host would run by itself can be written
 */
public record LiveMount(Path host, String guest, boolean readOnly, boolean writableHooks) {}
