/** What the core asks of the neuron in a sandbox, whatever carries the bytes. */
@NullMarked
package dev.cortex.sandbox.guest;

import org.jspecify.annotations.NullMarked;
