/** The guest contract against the neuron itself. */
@NullMarked
package dev.cortex.testkit.guest;

import org.jspecify.annotations.NullMarked;
