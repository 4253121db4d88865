package dev.cortex.drivers.launch;

import java.util.Optional;

/**
 * Names a sandbox that is to stand still, or to go on.
 *
 * @param cgroupName where there is one: the freezer is used, and nothing else
 * @param mark finds the processes of one without a group, 0: a group is needed
 * @param stoppedFile keeps who stood before; needed with a mark
 * @param deadlineMillis how long the processes may take to stand still
 */
public record PauseSpec(
        int version,
        String id,
        int pid,
        long startTime,
        String bootId,
        Optional<String> cgroupName,
        long mark,
        Optional<String> stoppedFile,
        long deadlineMillis) {}
