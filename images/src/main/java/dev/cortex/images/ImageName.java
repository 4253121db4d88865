package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of an image as docker and podman spell it, {@code [registry/]repository[:tag]}. One image has one spelling:
 * the registry that engines add by themselves and the tag {@code latest} are left out.
 */
public record ImageName(String text) {
    private static final String COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    private static final String REGISTRY = "(?:[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*(?::[0-9]{1,5})?/)?";
    private static final Pattern REPOSITORY = Pattern.compile(REGISTRY + COMPONENT + "(?:/" + COMPONENT + ")*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
    private static final String LATEST = "latest";

    /** The longest repository that registries take. */
    private static final int LONGEST = 255;

    /** @throws CortexException INVALID_ARGUMENT for what is no name, or one that means something else */
    public static ImageName of(String text) {
        return read(text)
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        "'" + (text.length() > 80 ? text.substring(0, 80) + "…" : text) + "' is no name for an image",
                        "use lower-case letters, digits and . _ - / , with a tag behind ':' if you like: tools/python:3.12"
                                + "; host and sha256 are taken"));
    }

    /** Empty for what is no name. */
    static Optional<ImageName> read(String text) {
        int colon = text.lastIndexOf(':');
        boolean tagged = colon > text.lastIndexOf('/');
        String repository = familiar(tagged ? text.substring(0, colon) : text);
        String tag = tagged ? text.substring(colon + 1) : LATEST;
        if (repository.length() > LONGEST
                || repository.equals("host")
                || repository.equals("sha256")
                || !REPOSITORY.matcher(repository).matches()
                || !TAG.matcher(tag).matches()) {
            return Optional.empty();
        }
        return Optional.of(new ImageName(tag.equals(LATEST) ? repository : repository + ":" + tag));
    }

    private static String familiar(String repository) {
        String left = without("docker.io/", repository);
        return left.equals(repository) ? without("localhost/", left) : without("library/", left);
    }

    private static String without(String beginning, String text) {
        return text.startsWith(beginning) ? text.substring(beginning.length()) : text;
    }

    @Override
    public String toString() {
        return text;
    }
}
