/** Tests of the engine. */
@NullMarked
package dev.cortex.engine.figure;

import org.jspecify.annotations.NullMarked;
