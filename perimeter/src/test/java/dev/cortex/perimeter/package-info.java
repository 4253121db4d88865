@NullMarked
package dev.cortex.perimeter;

import org.jspecify.annotations.NullMarked;
