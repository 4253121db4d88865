package dev.cortex.sandbox.image;

/** Finds an image by reference and prepares its root on this machine. Thread-safe; the same image twice is work once. */
public interface ImageResolver {
    /**
     * @throws dev.cortex.protocol.error.CortexException NOT_FOUND with the images that there are, INVALID_ARGUMENT for
     *     an archive that is none
     */
    Image resolve(String reference);

    /**
     * The image that a sandbox was made from, also when its name means another one by now.
     *
     * @param digest as it was then; empty for an image without one
     * @throws dev.cortex.protocol.error.CortexException NOT_FOUND when it is gone
     */
    default Image again(String reference, String digest) {
        return resolve(reference);
    }
}
