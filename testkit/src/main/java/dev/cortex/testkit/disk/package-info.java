/** The contract suite of pools of disks. */
@NullMarked
package dev.cortex.testkit.disk;

import org.jspecify.annotations.NullMarked;
