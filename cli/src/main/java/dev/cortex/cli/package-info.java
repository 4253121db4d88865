/**
 * The {@code cortex} command: parses arguments, asks the daemon over its Unix socket and shows the answer.
 * Starts fast: the hot verbs load few classes.
 */
@NullMarked
package dev.cortex.cli;

import org.jspecify.annotations.NullMarked;
