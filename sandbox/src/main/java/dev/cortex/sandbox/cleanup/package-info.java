/** Giving back what was acquired. */
@NullMarked
package dev.cortex.sandbox.cleanup;

import org.jspecify.annotations.NullMarked;
