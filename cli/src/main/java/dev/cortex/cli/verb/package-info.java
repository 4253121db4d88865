/** What each verb does. One class a verb, made only when it is asked for. */
@NullMarked
package dev.cortex.cli.verb;

import org.jspecify.annotations.NullMarked;
