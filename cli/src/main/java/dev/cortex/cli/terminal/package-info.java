/** What people see: descriptors, raw mode, tables, times, sizes, progress. */
@NullMarked
package dev.cortex.cli.terminal;

import org.jspecify.annotations.NullMarked;
