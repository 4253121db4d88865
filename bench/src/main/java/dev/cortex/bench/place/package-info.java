/** What stands on the machine while the bench runs: checkouts, daemons, engines, a stopwatch. Each goes with its owner. */
@NullMarked
package dev.cortex.bench.place;

import org.jspecify.annotations.NullMarked;
