/** Ports of this machine whose connections go to ports of a sandbox. */
@NullMarked
package dev.cortex.cli.forward;

import org.jspecify.annotations.NullMarked;
