/** What an open home says of itself in numbers, for surfaces that show them to operators. */
@NullMarked
package dev.cortex.engine.figure;

import org.jspecify.annotations.NullMarked;
