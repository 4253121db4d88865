package dev.cortex.sandbox.service;

/**
 * Told each time that an operation has done one durable step. For crash injection: what throws an {@link Error} here, or
 * ends the process, stops the core dead in that very place. A rollback does not run then.
 */
public interface Boundaries {
    Boundaries NONE = step -> {};

    void crossed(Boundary step);
}
