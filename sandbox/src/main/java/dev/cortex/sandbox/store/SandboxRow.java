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
 * @param life the one that it lives, or lived last
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
        Optional<Instant> stopped,
        Life life) {

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
                Optional.empty(),
                Life.NONE);
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
                stopped,
                life);
    }

    /** The same with other settings. */
    public SandboxRow with(SandboxSettings newSettings) {
        return new SandboxRow(
                id,
                name,
                slot,
                newSettings,
                state,
                reason,
                primary,
                handle,
                token,
                generation,
                created,
                started,
                stopped,
                life);
    }

    /**
     * Its first process exists; the neuron is about to be given that token.
     *
     * @param boot id of the machine's boot
     */
    public SandboxRow held(Handle newHandle, GuestToken newToken, String boot) {
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
                stopped,
                new Life(boot, Optional.empty()));
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
                Optional.empty(),
                new Life(life.boot(), Optional.of(now)));
    }

    /** It stands still; nothing of it is lost. */
    public SandboxRow paused(String why) {
        return new SandboxRow(
                id,
                name,
                slot,
                settings,
                State.PAUSED,
                why,
                primary,
                handle,
                token,
                generation,
                created,
                started,
                stopped,
                life);
    }

    /** It goes on, and its time begins anew. */
    public SandboxRow resumed(Instant now) {
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
                started,
                stopped,
                new Life(life.boot(), Optional.of(now)));
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
                Optional.of(now),
                life);
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
                Optional.of(now),
                life);
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
                stopped,
                life);
    }
}
