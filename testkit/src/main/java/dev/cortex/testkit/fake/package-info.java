/**
 * A machine that exists in memory only: a scripted driver and scripted neurons, for injecting faults that a real one
 * cannot be made to show at a given moment. These are fakes: what they do is held against real ones by the driver and
 * guest contracts, and nothing here proves that a sandbox works.
 */
@NullMarked
package dev.cortex.testkit.fake;

import org.jspecify.annotations.NullMarked;
