/** What {@code cortex doctor} finds out about a machine and says of it; needs no daemon. */
@NullMarked
package dev.cortex.daemon.doctor;

import org.jspecify.annotations.NullMarked;
