/** Tests of the host's end against guests that lie, stall and break off. */
@NullMarked
package dev.cortex.guest;

import org.jspecify.annotations.NullMarked;
