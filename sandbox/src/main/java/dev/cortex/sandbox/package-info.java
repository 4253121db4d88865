/**
 * The core: what a sandbox is, which transitions its states allow, and what must be written down before
 * anything outside is touched. Knows no HTTP, no database and no wire format; the packages below are its
 * extension points.
 */
@NullMarked
package dev.cortex.sandbox;

import org.jspecify.annotations.NullMarked;
