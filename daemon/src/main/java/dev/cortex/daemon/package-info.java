/**
 * The surfaces of one home over HTTP, on a Unix socket and on loopback, and the two mains that need no
 * running daemon: {@code serve} and {@code doctor}.
 */
@NullMarked
package dev.cortex.daemon;

import org.jspecify.annotations.NullMarked;
