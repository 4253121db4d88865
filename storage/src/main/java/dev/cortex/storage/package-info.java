/**
 * Keeps sandboxes, intents and events in SQLite, and migrates older files forward.
 */
@NullMarked
package dev.cortex.storage;

import org.jspecify.annotations.NullMarked;
