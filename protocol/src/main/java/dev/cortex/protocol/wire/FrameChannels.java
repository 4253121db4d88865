package dev.cortex.protocol.wire;

import java.nio.channels.ByteChannel;

/** Makes {@link FrameChannel}s. */
public final class FrameChannels {
    private FrameChannels() {}

    /**
     * Frames over a blocking stream, which is closed with them. A channel that is also a {@link
     * java.nio.channels.GatheringByteChannel} gets a Data frame's header and bytes in one write.
     */
    public static FrameChannel over(ByteChannel stream) {
        return new ByteFrameChannel(stream, FrameReader.Room.ROOMY);
    }

    /** The same with little memory: for streams of which a hostile peer can have many, or that are mostly silent. */
    public static FrameChannel sparing(ByteChannel stream) {
        return new ByteFrameChannel(stream, FrameReader.Room.SPARING);
    }
}
