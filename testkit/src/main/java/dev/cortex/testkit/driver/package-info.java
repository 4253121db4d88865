/** The contract suite of drivers, what it needs to look at a sandbox from outside and inside, and a driver that does nothing. */
@NullMarked
package dev.cortex.testkit.driver;

import org.jspecify.annotations.NullMarked;
