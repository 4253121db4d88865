@NullMarked
package dev.cortex.engine;

import org.jspecify.annotations.NullMarked;
