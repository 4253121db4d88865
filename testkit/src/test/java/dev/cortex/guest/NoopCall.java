package dev.cortex.guest;

import com.google.protobuf.ByteString;
import dev.cortex.testkit.pb.NoopRequest;
import dev.cortex.testkit.pb.NoopResponse;
import java.time.Duration;

/** The host side of a guest call that does nothing, made by following "add a guest call" in CONTRIBUTING.md. */
record NoopCall(Calls calls) {
    /** A name is at most 255 bytes, and the answer has one field. */
    private static final Calls.Method<NoopResponse> NOOP = new Calls.Method<>("Noop", NoopResponse.parser(), 512, 1);

    byte[] noop(byte[] name, Duration deadline) {
        NoopRequest request =
                NoopRequest.newBuilder().setName(ByteString.copyFrom(name)).build();
        return calls.call(NOOP, request, deadline).getName().toByteArray();
    }
}
