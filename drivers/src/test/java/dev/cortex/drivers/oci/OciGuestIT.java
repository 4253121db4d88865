package dev.cortex.drivers.oci;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Needs root, crun, the launcher and the neuron. */
@Tag("slow")
final class OciGuestIT extends OciGuestContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "crun");

    OciGuestIT() {
        super(SUBJECT);
    }

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }
}
