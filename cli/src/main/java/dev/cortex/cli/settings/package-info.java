/** Request settings from flags, variables, the project's and the home's file, and who set what. */
@NullMarked
package dev.cortex.cli.settings;

import org.jspecify.annotations.NullMarked;
