/**
 * The driver {@code oci}: a sandbox as a container of an OCI runtime, made by the launcher in one call. What is sent to
 * the launcher is built by pure functions: {@link dev.cortex.drivers.oci.OciConfig}, {@code MountPlan},
 * {@code OciLaunch}.
 */
@NullMarked
package dev.cortex.drivers.oci;

import org.jspecify.annotations.NullMarked;
