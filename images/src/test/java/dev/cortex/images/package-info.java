@NullMarked
package dev.cortex.images;

import org.jspecify.annotations.NullMarked;
