/** The contract of perimeters, and a guest that asks what a test says. */
@NullMarked
package dev.cortex.testkit.perimeter;

import org.jspecify.annotations.NullMarked;
