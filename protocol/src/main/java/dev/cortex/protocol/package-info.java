/**
 * What crosses a wire between Cortex and its clients or its guests: operation descriptors with their request
 * and response records, the frame codec, events and the error family. Plain data, no logic.
 */
@NullMarked
package dev.cortex.protocol;

import org.jspecify.annotations.NullMarked;
