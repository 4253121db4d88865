package dev.cortex.daemon.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;

/** A response's body as a blocking channel: what is written has left this process when the call returns. */
final class ResponseChannel implements WritableByteChannel {
    private final Response response;
    private boolean open = true;

    ResponseChannel(Response response) {
        this.response = response;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int count = from.remaining();
        try (Blocker.Callback written = Blocker.callback()) {
            response.write(false, from.slice(), written);
            written.block();
        }
        from.position(from.limit());
        return count;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
