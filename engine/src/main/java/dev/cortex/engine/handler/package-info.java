/** What each operation does: a request to the core, and the core's answer as a surface shows it. */
@NullMarked
package dev.cortex.engine.handler;

import org.jspecify.annotations.NullMarked;
