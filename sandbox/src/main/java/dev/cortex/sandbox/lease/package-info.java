/** Who may change a sandbox right now: at most one operation at a time. */
@NullMarked
package dev.cortex.sandbox.lease;

import org.jspecify.annotations.NullMarked;
