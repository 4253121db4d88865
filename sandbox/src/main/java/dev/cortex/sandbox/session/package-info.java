/** Sessions: processes in a sandbox, with their output and their end. */
@NullMarked
package dev.cortex.sandbox.session;

import org.jspecify.annotations.NullMarked;
