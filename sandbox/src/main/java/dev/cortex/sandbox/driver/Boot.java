package dev.cortex.sandbox.driver;

/** Which boot of the machine this is: no process lives over two of them. */
public interface Boot {
    /** The same for as long as the machine is not started anew. */
    String id();
}
