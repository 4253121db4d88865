package dev.cortex.drivers.oci;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Needs root, runc, the launcher and the neuron. */
@Tag("slow")
final class OciRuncGuestIT extends OciGuestContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "runc");

    OciRuncGuestIT() {
        super(SUBJECT);
    }

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }
}
