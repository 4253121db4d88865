/** What every store must do. */
@NullMarked
package dev.cortex.testkit.store;

import org.jspecify.annotations.NullMarked;
