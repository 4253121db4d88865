/** What is measured, by whom, and what was promised of it. */
@NullMarked
package dev.cortex.bench.measure;

import org.jspecify.annotations.NullMarked;
