/** What an image is to the core: a root file system and its configuration. */
@NullMarked
package dev.cortex.sandbox.image;

import org.jspecify.annotations.NullMarked;
