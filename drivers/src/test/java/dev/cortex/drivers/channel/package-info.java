@NullMarked
package dev.cortex.drivers.channel;

import org.jspecify.annotations.NullMarked;
