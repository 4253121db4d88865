package dev.cortex.sandbox.guest;

import dev.cortex.sandbox.driver.GuestStream;
import java.util.function.Supplier;

/** Makes {@link Guest}s over streams that a driver dials. */
public interface GuestConnector {
    /**
     * A guest whose streams come from {@code dialer}, which is called for each new one. Dials nothing itself.
     *
     * @param token as given to {@link Guest#initialize}; {@link GuestToken#NONE} before that
     */
    Guest connect(Supplier<GuestStream> dialer, GuestToken token);
}
