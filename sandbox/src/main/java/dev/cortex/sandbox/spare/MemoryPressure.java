package dev.cortex.sandbox.spare;

/** Whether the machine has too little memory for sandboxes that nobody asked for yet. */
public interface MemoryPressure {
    /** A machine with room enough. */
    MemoryPressure NONE = () -> false;

    boolean high();
}
