/**
 * Tests of the whole: the real command against the real daemon, runtimes and programs, and the rules that hold
 * between modules.
 */
@NullMarked
package dev.cortex.e2e;

import org.jspecify.annotations.NullMarked;
