package dev.cortex.drivers.oci;

/** What a sandbox calls itself before it is known what it will be called. No sandbox can have that name: it has a dot. */
final class Unnamed {
    static final String HOSTNAME = "not.yet";

    private Unnamed() {}
}
