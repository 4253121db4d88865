/** Tests of the error family. */
@NullMarked
package dev.cortex.protocol.error;

import org.jspecify.annotations.NullMarked;
