/**
 * Turns what a user names as an image (the host itself, a folder, a tar) into a root file system that a
 * driver can start from.
 */
@NullMarked
package dev.cortex.images;

import org.jspecify.annotations.NullMarked;
