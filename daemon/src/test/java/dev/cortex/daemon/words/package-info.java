/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon.words;

import org.jspecify.annotations.NullMarked;
