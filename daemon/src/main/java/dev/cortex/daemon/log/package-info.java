/** The daemon's log: one JSON object a line in the home, rotated by size and by day. */
@NullMarked
package dev.cortex.daemon.log;

import org.jspecify.annotations.NullMarked;
