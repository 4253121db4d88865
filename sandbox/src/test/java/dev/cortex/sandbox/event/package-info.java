@NullMarked
package dev.cortex.sandbox.event;

import org.jspecify.annotations.NullMarked;
