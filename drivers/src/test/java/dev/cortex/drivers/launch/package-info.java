@NullMarked
package dev.cortex.drivers.launch;

import org.jspecify.annotations.NullMarked;
