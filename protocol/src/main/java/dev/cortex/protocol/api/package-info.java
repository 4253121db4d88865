/** Request and response records of the operations. In JSON their names are snake_case; unknown fields are refused. */
@NullMarked
package dev.cortex.protocol.api;

import org.jspecify.annotations.NullMarked;
