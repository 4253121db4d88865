/** Tests of the doctor. */
@NullMarked
package dev.cortex.daemon.doctor;

import org.jspecify.annotations.NullMarked;
