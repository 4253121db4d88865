/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon;

import org.jspecify.annotations.NullMarked;
