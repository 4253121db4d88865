/** The closed family of errors that every surface answers with: a code, its HTTP and gRPC status, a remedy in words. */
@NullMarked
package dev.cortex.protocol.error;

import org.jspecify.annotations.NullMarked;
