/** Tests of the package. */
@NullMarked
package dev.cortex.bench.measure;

import org.jspecify.annotations.NullMarked;
