@NullMarked
package dev.cortex.engine.handler;

import org.jspecify.annotations.NullMarked;
