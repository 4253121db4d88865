@NullMarked
package dev.cortex.testkit.noop;

import org.jspecify.annotations.NullMarked;
