/**
 * The kinds of isolation that a sandbox can run in, one package a driver, and what drivers share: the
 * launcher, child processes, control groups.
 */
@NullMarked
package dev.cortex.drivers;

import org.jspecify.annotations.NullMarked;
