@NullMarked
package dev.cortex.sandbox.lease;

import org.jspecify.annotations.NullMarked;
