package dev.cortex.drivers.oci;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The guest contract in a sandbox that was started ahead. Needs root, runc, the launcher and the neuron. */
@Tag("slow")
final class OciRuncSpareGuestIT extends OciGuestContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "runc");

    OciRuncSpareGuestIT() {
        super(SUBJECT, true);
    }

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }
}
