/** What {@code cortex serve} and {@code cortex doctor} say: errors for people, envelopes for programs. */
@NullMarked
package dev.cortex.daemon.words;

import org.jspecify.annotations.NullMarked;
