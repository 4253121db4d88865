/** How many sandboxes are started ahead, and of which kinds: figures alone. */
@NullMarked
package dev.cortex.sandbox.spare;

import org.jspecify.annotations.NullMarked;
