@NullMarked
package dev.cortex.sandbox.spare;

import org.jspecify.annotations.NullMarked;
