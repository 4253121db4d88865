package dev.cortex.sandbox.service;

import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.store.SandboxRow;

/** A sandbox that is running, with its neuron. */
public record Running(SandboxRow row, Guest guest) {}
