/** Many clients for a long time: whether it stays as it begins. */
@NullMarked
package dev.cortex.bench.soak;

import org.jspecify.annotations.NullMarked;
