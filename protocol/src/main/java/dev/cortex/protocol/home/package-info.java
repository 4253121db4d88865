/** Where a Cortex lives on its machine: the home folder, and the run folder with the socket that belongs to it. */
@NullMarked
package dev.cortex.protocol.home;

import org.jspecify.annotations.NullMarked;
