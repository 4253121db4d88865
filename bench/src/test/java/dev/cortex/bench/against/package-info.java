/** Tests of the package. */
@NullMarked
package dev.cortex.bench.against;

import org.jspecify.annotations.NullMarked;
