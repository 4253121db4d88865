package dev.cortex.engine;

import dev.cortex.engine.handler.MachineMemory;
import dev.cortex.sandbox.spare.MemoryPressure;

/** Whether this machine has memory for sandboxes that nobody asked for yet. */
final class MachineRoom implements MemoryPressure {
    /** A spare takes some megabytes; but who is this short needs every one, and soon. */
    private static final double LEAST_FREE = 0.05;

    @Override
    public boolean high() {
        MachineMemory memory = MachineMemory.now();
        return memory.free() < memory.total() * LEAST_FREE;
    }
}
