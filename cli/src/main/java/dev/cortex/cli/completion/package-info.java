/** What could stand at the end of a command line that is being typed. */
@NullMarked
package dev.cortex.cli.completion;

import org.jspecify.annotations.NullMarked;
