/** Tests of the wire formats. */
@NullMarked
package dev.cortex.protocol.wire;

import org.jspecify.annotations.NullMarked;
