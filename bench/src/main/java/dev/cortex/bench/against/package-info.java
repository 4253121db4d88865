/** Two revisions side by side on one machine: what has become slower. */
@NullMarked
package dev.cortex.bench.against;

import org.jspecify.annotations.NullMarked;
