/** A client's side of a session: frames, stdin, signals, reconnection, exit status. */
@NullMarked
package dev.cortex.cli.session;

import org.jspecify.annotations.NullMarked;
