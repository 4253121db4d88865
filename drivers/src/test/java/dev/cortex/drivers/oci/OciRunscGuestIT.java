package dev.cortex.drivers.oci;

import org.junit.jupiter.api.AfterAll;

/** Needs root, gVisor, the launcher and the neuron. */
final class OciRunscGuestIT extends OciGuestContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "runsc");

    OciRunscGuestIT() {
        super(SUBJECT);
    }

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }
}
