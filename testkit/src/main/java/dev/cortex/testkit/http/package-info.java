/** A small HTTP client over Unix sockets, for tests and for the bench: the same code for every server. */
@NullMarked
package dev.cortex.testkit.http;

import org.jspecify.annotations.NullMarked;
