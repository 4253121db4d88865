@NullMarked
package dev.cortex.sandbox.cleanup;

import org.jspecify.annotations.NullMarked;
