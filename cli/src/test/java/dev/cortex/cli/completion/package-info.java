/** Tests of completion. */
@NullMarked
package dev.cortex.cli.completion;

import org.jspecify.annotations.NullMarked;
