/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon.metrics;

import org.jspecify.annotations.NullMarked;
