/**
 * What tests share: contract suites for the extension points, and the worked examples of the checklists in
 * CONTRIBUTING.md.
 */
@NullMarked
package dev.cortex.testkit;

import org.jspecify.annotations.NullMarked;
