/**
 * The driver {@code process}: the neuron as a plain child of this machine, with the user's own rights. No isolation at
 * all; for development and for trusted code.
 */
@NullMarked
package dev.cortex.drivers.process;

import org.jspecify.annotations.NullMarked;
