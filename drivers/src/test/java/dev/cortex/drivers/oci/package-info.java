@NullMarked
package dev.cortex.drivers.oci;

import org.jspecify.annotations.NullMarked;
