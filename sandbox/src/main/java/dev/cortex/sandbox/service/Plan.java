package dev.cortex.sandbox.service;

import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.store.SandboxSettings;
import java.util.Optional;

/**
 * A create that has been checked: nothing was made yet.
 *
 * @param settings complete but for {@code workdir}'s default, which may depend on the disk
 * @param workdir asked for by the call or the image
 * @param anonymous nobody named it: its disk goes with it
 * @param diskLimitAsked the limit of its disk was asked for; else a kept disk keeps its own
 */
record Plan(
        String name,
        boolean anonymous,
        SandboxDriver driver,
        Image image,
        SandboxSettings settings,
        Optional<String> workdir,
        boolean diskLimitAsked,
        Optional<SessionSpec> primary,
        boolean start,
        boolean wipe) {}
