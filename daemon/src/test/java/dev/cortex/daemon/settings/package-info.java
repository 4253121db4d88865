/** Tests of the daemon. */
@NullMarked
package dev.cortex.daemon.settings;

import org.jspecify.annotations.NullMarked;
