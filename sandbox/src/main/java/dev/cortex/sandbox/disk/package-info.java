/** Where the disks of a home lie, and what holds them to their limits. */
@NullMarked
package dev.cortex.sandbox.disk;

import org.jspecify.annotations.NullMarked;
