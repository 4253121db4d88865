/**
 * What operators watch: figures of the process and of its home, in Prometheus' format. What is counted while requests are
 * served is plain Java; the library that writes the format is loaded by the first who asks.
 */
@NullMarked
package dev.cortex.daemon.metrics;

import org.jspecify.annotations.NullMarked;
