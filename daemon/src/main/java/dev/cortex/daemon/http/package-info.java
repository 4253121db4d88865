/**
 * The HTTP surface: operations on a Unix socket and on loopback, by Jetty. No logic of sandboxes.
 *
 * <p>Reading order: {@link dev.cortex.daemon.http.HttpSurface} serves; {@code Dispatcher} takes each request, lets the
 * {@code Gate} judge who asks, finds its {@code Route} and answers as the operation's body says; {@code OpenApi}
 * describes it all.
 */
@NullMarked
package dev.cortex.daemon.http;

import org.jspecify.annotations.NullMarked;
