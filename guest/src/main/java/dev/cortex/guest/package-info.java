/**
 * The host side of the neuron protocol: control calls over a dialled stream, sessions and their output,
 * file transfers. Everything read here comes from a place that is not trusted.
 */
@NullMarked
package dev.cortex.guest;

import org.jspecify.annotations.NullMarked;
