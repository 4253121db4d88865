@NullMarked
package dev.cortex.drivers.disk;

import org.jspecify.annotations.NullMarked;
