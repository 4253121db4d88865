/** What parts of this process say of themselves in numbers, without knowing who reads them. */
@NullMarked
package dev.cortex.sandbox.figure;

import org.jspecify.annotations.NullMarked;
