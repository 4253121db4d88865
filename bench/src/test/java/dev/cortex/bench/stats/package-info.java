/** Tests of the package. */
@NullMarked
package dev.cortex.bench.stats;

import org.jspecify.annotations.NullMarked;
