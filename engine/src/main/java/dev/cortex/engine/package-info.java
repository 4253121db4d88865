/**
 * The composition: opens a home, wires drivers, guest, images and storage to the core by constructors, and
 * handles each operation.
 */
@NullMarked
package dev.cortex.engine;

import org.jspecify.annotations.NullMarked;
