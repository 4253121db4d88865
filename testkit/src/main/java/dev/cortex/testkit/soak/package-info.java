/** Many clients at full speed against a real daemon, and what they leave behind: for a test and for the bench. */
@NullMarked
package dev.cortex.testkit.soak;

import org.jspecify.annotations.NullMarked;
