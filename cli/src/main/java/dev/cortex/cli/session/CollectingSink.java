package dev.cortex.cli.session;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.wire.Frame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Base64;

/** Output kept for one answer in JSON: the first MiB of each stream. */
public final class CollectingSink implements Sink {
    private static final int MOST_BYTES = 1 << 20;

    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private boolean truncated;

    @Override
    public void write(Frame.Tag tag, ByteBuffer bytes) {
        ByteArrayOutputStream target = tag == Frame.Tag.STDERR ? stderr : stdout;
        int taken = Math.min(bytes.remaining(), MOST_BYTES - target.size());
        truncated |= taken < bytes.remaining();
        byte[] copy = new byte[taken];
        bytes.get(copy);
        target.write(copy, 0, taken);
        bytes.position(bytes.limit());
    }

    /** The same members as exec's answer over HTTP. */
    public void describe(Json.Building data) {
        describe(data, "stdout", stdout);
        describe(data, "stderr", stderr);
        data.put("truncated", truncated);
    }

    private static void describe(Json.Building data, String name, ByteArrayOutputStream bytes) {
        Word text = Word.of(bytes.toByteArray());
        if (text.isText()) {
            data.put(name, text.text());
        } else {
            data.put(name + "_b64", Base64.getEncoder().encodeToString(text.bytes()));
        }
    }
}
