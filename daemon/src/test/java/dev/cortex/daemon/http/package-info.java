/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon.http;

import org.jspecify.annotations.NullMarked;
