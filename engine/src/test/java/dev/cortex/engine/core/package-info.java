@NullMarked
package dev.cortex.engine.core;

import org.jspecify.annotations.NullMarked;
