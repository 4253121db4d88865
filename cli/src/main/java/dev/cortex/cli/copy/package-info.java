/** Files and folders between this machine and sandboxes. */
@NullMarked
package dev.cortex.cli.copy;

import org.jspecify.annotations.NullMarked;
