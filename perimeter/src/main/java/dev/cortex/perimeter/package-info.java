/**
 * The perimeter of this process: requests by name come from sandboxes, are held against rules, resolved and checked here,
 * and connected from here. Reads from top to bottom as HostPerimeter, SandboxGate, Connection, Splice.
 */
@NullMarked
package dev.cortex.perimeter;

import org.jspecify.annotations.NullMarked;
