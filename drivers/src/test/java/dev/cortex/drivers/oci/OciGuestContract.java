package dev.cortex.drivers.oci;

import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.testkit.driver.Trial;
import dev.cortex.testkit.guest.GuestContract;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** The guest contract with the neuron as first process of a container. */
abstract class OciGuestContract extends GuestContract {
    private final Trial trial;
    private final Handle handle;

    OciGuestContract(OciSubject subject) {
        trial = new Trial(subject, 0);
        handle = trial.start();
    }

    /** @param ahead it is started before it has a name */
    OciGuestContract(OciSubject subject, boolean ahead) {
        trial = new Trial(subject, 0);
        handle = ahead ? trial.startAhead() : trial.start();
    }

    @Override
    protected final Supplier<GuestStream> dialer() {
        return () -> trial.driver().dial(handle);
    }

    @Override
    protected final GuestIdentity.User user() {
        return GuestIdentity.User.AGENT;
    }

    @Override
    protected final String workdir() {
        return "/home/agent/workspace";
    }

    @AfterEach
    final void end() {
        trial.close();
    }
}
