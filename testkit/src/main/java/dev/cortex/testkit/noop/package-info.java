/** Worked examples of the checklists in CONTRIBUTING.md that do nothing: what compiles here is what a checklist asks for. */
@NullMarked
package dev.cortex.testkit.noop;

import org.jspecify.annotations.NullMarked;
