@NullMarked
package dev.cortex.sandbox;

import org.jspecify.annotations.NullMarked;
