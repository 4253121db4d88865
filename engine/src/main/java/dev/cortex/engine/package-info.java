/**
 * The composition: {@link dev.cortex.engine.Cortex} opens a home and wires store, drivers, images and neurons into the
 * core.
 */
@NullMarked
package dev.cortex.engine;

import org.jspecify.annotations.NullMarked;
