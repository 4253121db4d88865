/**
 * What can be done with sandboxes, one class a transition. {@link dev.cortex.sandbox.service.SandboxService} composes
 * them. Everything that changes a sandbox holds its lease, and writes an intent before it makes the first resource.
 */
@NullMarked
package dev.cortex.sandbox.service;

import org.jspecify.annotations.NullMarked;
