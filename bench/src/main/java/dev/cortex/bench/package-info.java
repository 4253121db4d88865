/** {@code ./dev bench}: Cortex against the bare mechanism and its peers, in one run on one machine. */
@NullMarked
package dev.cortex.bench;

import org.jspecify.annotations.NullMarked;
