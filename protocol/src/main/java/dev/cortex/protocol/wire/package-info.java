/** Hello and frames of docs/protocol.md: the bytes between host and neuron, and between a client and the daemon after an upgrade. */
@NullMarked
package dev.cortex.protocol.wire;

import org.jspecify.annotations.NullMarked;
