package dev.cortex.drivers.oci;

import dev.cortex.testkit.driver.DriverContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import org.junit.jupiter.api.AfterAll;

/** Needs root, runc, the launcher and the neuron. */
final class OciRuncDriverIT extends DriverContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "runc");

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }

    @Override
    protected DriverUnderTest subject() {
        return SUBJECT;
    }
}
