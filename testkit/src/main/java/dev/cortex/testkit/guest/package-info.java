/** The contract of a guest: what every neuron answers, whatever carries its streams. */
@NullMarked
package dev.cortex.testkit.guest;

import org.jspecify.annotations.NullMarked;
