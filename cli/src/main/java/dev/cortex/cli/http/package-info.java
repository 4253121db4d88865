/** HTTP/1.1 over the daemon's Unix socket, and starting the daemon when none runs. */
@NullMarked
package dev.cortex.cli.http;

import org.jspecify.annotations.NullMarked;
