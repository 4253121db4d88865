/** The pool of disks on this host: subvolumes of a btrfs, or plain folders. What needs root is the launcher's. */
@NullMarked
package dev.cortex.drivers.disk;

import org.jspecify.annotations.NullMarked;
