/**
 * The client of the launcher, the short-lived host program that does what a JVM cannot do well: mounts, control groups,
 * user namespaces, listening sockets that a child inherits, and exec. One call is one process that reads one JSON record
 * and answers one; {@code native/internal/launch} is the other side of these records.
 */
@NullMarked
package dev.cortex.drivers.launch;

import org.jspecify.annotations.NullMarked;
