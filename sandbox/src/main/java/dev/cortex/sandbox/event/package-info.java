/** What happens to sandboxes, as it happens. */
@NullMarked
package dev.cortex.sandbox.event;

import org.jspecify.annotations.NullMarked;
