/** Where the core keeps what must survive: records, intents, disks. */
@NullMarked
package dev.cortex.sandbox.store;

import org.jspecify.annotations.NullMarked;
