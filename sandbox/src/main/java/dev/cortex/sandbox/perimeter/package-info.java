/** What decides about, and carries, the connections that leave sandboxes. */
@NullMarked
package dev.cortex.sandbox.perimeter;

import org.jspecify.annotations.NullMarked;
