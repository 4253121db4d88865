@NullMarked
package dev.cortex.sandbox.session;

import org.jspecify.annotations.NullMarked;
