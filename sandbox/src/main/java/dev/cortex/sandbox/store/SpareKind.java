package dev.cortex.sandbox.store;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.terms.Rights;

/**
 * Everything of a sandbox that is fixed when its first process starts. Whoever asks for the same may get one that was
 * started ahead; all else is set when it is handed out.
 *
 * @param runtime the program beneath the driver, empty where there is none
 * @param image as it was asked for
 * @param digest of the image, empty for images without one
 * @param root what the image is made of, as it was when the kind was asked for
 */
public record SpareKind(
        String driver, String runtime, String image, String digest, String root, Limits limits, Rights rights) {
    /** Such as {@code oci/crun}. */
    public String program() {
        return runtime.isEmpty() ? driver : driver + "/" + runtime;
    }

    /** Such as {@code oci/crun, image host, 2048 MiB}. */
    public String words() {
        String memory = limits.memoryBytes() == 0 ? "" : ", " + (limits.memoryBytes() >> 20) + " MiB";
        return program() + ", image " + image + memory;
    }
}
