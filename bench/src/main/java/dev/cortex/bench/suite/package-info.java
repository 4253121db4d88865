/** The measures of the bench, each with its contenders. */
@NullMarked
package dev.cortex.bench.suite;

import org.jspecify.annotations.NullMarked;
