/** The terms on which a sandbox lives, beside its limits. Chosen at create. */
@NullMarked
package dev.cortex.sandbox.terms;

import org.jspecify.annotations.NullMarked;
