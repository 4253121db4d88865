package dev.cortex.daemon.http;

import java.util.Optional;

/** Something beside the operations that is only read, whole. */
interface Document {
    /** A name for the log and the figures. */
    String name();

    /** @param accept header of the request */
    Content content(Optional<String> accept);

    /** @param type of the bytes */
    record Content(String type, byte[] bytes) {}
}
