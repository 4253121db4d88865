/** What a run tells: the table and its JSON. */
@NullMarked
package dev.cortex.bench.report;

import org.jspecify.annotations.NullMarked;
