package dev.cortex.sandbox.driver;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.terms.Terms;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * What a driver gets to start a sandbox. All folders belong to this sandbox alone, and exist; but the disk does not at
 * its first start when the driver makes disks.
 *
 * @param hostname what the sandbox calls itself; absent for one that is started before it is known ({@link Preparing})
 * @param home the home's own id: goes into names and labels, so that another home's things are never touched
 * @param slot a small number, unique among the sandboxes of the home, from which uid ranges derive
 * @param runtime the program asked for, empty: the strongest that is ready
 * @param disk its writable state; kept over stop and start
 * @param runFolder short-lived things: sockets, pid files; short enough for sun_path
 * @param folder things of this sandbox that live as long as its record
 */
public record StartRequest(
        SandboxId sandbox,
        Optional<String> hostname,
        UUID home,
        int slot,
        Optional<String> runtime,
        Image image,
        Limits limits,
        Terms terms,
        Path disk,
        Path runFolder,
        Path folder) {}
