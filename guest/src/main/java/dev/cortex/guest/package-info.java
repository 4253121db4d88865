/**
 * The host's end of the neuron protocol (docs/protocol.md): calls by ttrpc over a dialled stream, transfers over frames.
 *
 * <p>Reading order: {@link dev.cortex.guest.NeuronConnector} makes a {@code Neuron}; its {@code Calls} keep one {@code
 * CallStream}, which {@code Dial} opened; {@code Transfer} moves the bytes of files. {@code Answers} holds everything
 * that a guest says against limits before the core sees it; {@code GuestError} of protocol does so with errors.
 */
@NullMarked
package dev.cortex.guest;

import org.jspecify.annotations.NullMarked;
