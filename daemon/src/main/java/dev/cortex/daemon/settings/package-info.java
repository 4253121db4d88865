/** The daemon's own settings: its flags, its environment and its home's file, and nothing of any project. */
@NullMarked
package dev.cortex.daemon.settings;

import org.jspecify.annotations.NullMarked;
