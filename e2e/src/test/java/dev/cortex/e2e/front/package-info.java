/** Cortex through its front doors: the script, the CLI, the HTTP API, on real runtimes, with a home of each test's own. */
@NullMarked
package dev.cortex.e2e.front;

import org.jspecify.annotations.NullMarked;
