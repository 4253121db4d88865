/** How the operations are carried out: one handler an operation, called in process by every surface. */
@NullMarked
package dev.cortex.engine.operation;

import org.jspecify.annotations.NullMarked;
