/** What a driver is: the one contract over every kind of isolation. */
@NullMarked
package dev.cortex.sandbox.driver;

import org.jspecify.annotations.NullMarked;
