/** The verbs declared as data, and the parser that reads a command line against them. No reflection and no regular expressions: this runs before every command. */
@NullMarked
package dev.cortex.cli.command;

import org.jspecify.annotations.NullMarked;
