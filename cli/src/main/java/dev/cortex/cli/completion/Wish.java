package dev.cortex.cli.completion;

import java.util.List;

/** What kind of word is wanted. */
public sealed interface Wish {
    /** One of these, each with what is said of it, or an empty text. */
    record Words(List<Candidate> all) implements Wish {
        /** Words without a description. */
        static Words of(String... words) {
            return new Words(List.of(words).stream().map(Candidate::of).toList());
        }
    }

    /**
     * A sandbox's name.
     *
     * @param states in which it makes sense, empty: all
     */
    record Sandboxes(List<String> states) implements Wish {}

    /** One end of a copy: a sandbox's name with a colon, or a file here. */
    record Place() implements Wish {}

    /** A session of that sandbox. */
    record Sessions(String sandbox) implements Wish {}

    /**
     * An image's name.
     *
     * @param orFiles a folder or an archive would do as well
     */
    record Images(boolean orFiles) implements Wish {}

    /** A path in that sandbox. */
    record Inside(String sandbox) implements Wish {}

    /** A file here. */
    record Files() implements Wish {}

    /** A folder here. */
    record Folders() implements Wish {}

    /** Something that only the person knows. */
    record Unknown() implements Wish {}
}
