/** The command {@code cortex}: a client of the daemon over its Unix socket. Starting fast is a feature of it. */
@NullMarked
package dev.cortex.cli;

import org.jspecify.annotations.NullMarked;
