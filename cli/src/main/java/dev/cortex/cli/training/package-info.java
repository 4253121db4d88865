/** The run from which the command's start-up cache is made. */
@NullMarked
package dev.cortex.cli.training;

import org.jspecify.annotations.NullMarked;
