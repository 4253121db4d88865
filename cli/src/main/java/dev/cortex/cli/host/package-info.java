/** This machine's side: arguments and paths byte for byte, child programs. */
@NullMarked
package dev.cortex.cli.host;

import org.jspecify.annotations.NullMarked;
