@NullMarked
package dev.cortex.storage;

import org.jspecify.annotations.NullMarked;
