@NullMarked
package dev.cortex.drivers.process;

import org.jspecify.annotations.NullMarked;
