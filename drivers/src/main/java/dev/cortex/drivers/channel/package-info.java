/** Streams to neurons that listen on a Unix socket of the host. */
@NullMarked
package dev.cortex.drivers.channel;

import org.jspecify.annotations.NullMarked;
