/** Figures of samples: quantiles, and intervals by the bootstrap. */
@NullMarked
package dev.cortex.bench.stats;

import org.jspecify.annotations.NullMarked;
