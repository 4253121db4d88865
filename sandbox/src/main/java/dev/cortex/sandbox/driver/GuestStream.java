package dev.cortex.sandbox.driver;

import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;

/**
 * One reliable, blocking byte stream to a neuron. Closing it from another thread frees a blocked reader or writer.
 * Never interrupt a thread that uses a shared one: an interrupt closes the channel.
 */
public interface GuestStream extends ByteChannel, GatheringByteChannel {}
