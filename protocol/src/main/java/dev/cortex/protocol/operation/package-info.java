/** The table of what the service can do: one descriptor an operation, from which routing and OpenAPI are made. */
@NullMarked
package dev.cortex.protocol.operation;

import org.jspecify.annotations.NullMarked;
