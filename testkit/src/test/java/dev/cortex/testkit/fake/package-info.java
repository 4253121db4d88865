@NullMarked
package dev.cortex.testkit.fake;

import org.jspecify.annotations.NullMarked;
