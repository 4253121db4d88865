/** Worked examples that stand where the code of a new guest call would: beside {@code Calls}, which is not public. */
@NullMarked
package dev.cortex.guest;

import org.jspecify.annotations.NullMarked;
