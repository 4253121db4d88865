/** The mains {@code serve} and {@code doctor}, which need no running daemon. */
@NullMarked
package dev.cortex.daemon;

import org.jspecify.annotations.NullMarked;
