package dev.cortex.sandbox.store;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import java.time.Instant;
import java.util.Optional;

/**
 * A sandbox as it is remembered.
 *
 * @param slot a small number of its own, given by the store
 * @param reason why it is in its state, in words
 * @param primary id of the primary session, empty without one
 * @param handle of its first process, from the moment the driver gave it until it is known to be gone
 * @param token that its neuron was given, or is about to be given
 * @param generation how often it was started
 */
public record SandboxRow(
        SandboxId id,
        String name,
        int slot,
        SandboxSettings settings,
        State state,
        String reason,
        String primary,
        Optional<Handle> handle,
        GuestToken token,
        long generation,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> stopped) {

    /** A new one, which has no slot yet. */
    public static SandboxRow created(SandboxId id, String name, SandboxSettings settings, String primary, Instant now) {
        return new SandboxRow(
                id,
                name,
                -1,
                settings,
                State.CREATED,
                "",
                primary,
                Optional.empty(),
                GuestToken.NONE,
                0,
                now,
                Optional.empty(),
                Optional.empty());
    }

    public SandboxRow at(int newSlot) {
        return new SandboxRow(
                id,
                name,
                newSlot,
                settings,
                state,
                reason,
                primary,
                handle,
                token,
                generation,
                created,
                started,
                stopped);
    }

    /** Its first process exists; the neuron is about to be given that token. */
    public SandboxRow held(Handle newHandle, GuestToken newToken) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                state,
                reason,
                primary,
                Optional.of(newHandle),
                newToken,
                generation + 1,
                created,
                started,
                stopped);
    }

    public SandboxRow running(Instant now) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                State.RUNNING,
                "",
                primary,
                handle,
                token,
                generation,
                created,
                Optional.of(now),
                Optional.empty());
    }

    public SandboxRow stopped(String why, Instant now) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                State.STOPPED,
                why,
                primary,
                Optional.empty(),
                GuestToken.NONE,
                generation,
                created,
                started,
                Optional.of(now));
    }

    /** What there is of it stays known, so that it can be removed. */
    public SandboxRow failed(String why, Instant now) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                State.ERROR,
                why,
                primary,
                handle,
                token,
                generation,
                created,
                started,
                Optional.of(now));
    }

    /** Its first process is gone again before it was running; the state is what it was. */
    public SandboxRow released(String why) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                state,
                why,
                primary,
                Optional.empty(),
                GuestToken.NONE,
                generation,
                created,
                started,
                stopped);
    }
}
