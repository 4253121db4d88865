/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon.log;

import org.jspecify.annotations.NullMarked;
