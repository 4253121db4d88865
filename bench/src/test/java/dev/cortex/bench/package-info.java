/** Tests of the package. */
@NullMarked
package dev.cortex.bench;

import org.jspecify.annotations.NullMarked;
