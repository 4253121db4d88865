package dev.cortex.perimeter;

/**
 * Connections of all sandboxes. One sandbox may have as many as are left for the others: however greedy some are, there is
 * room for those that come later. Thread-safe.
 */
final class Budget {
    private final int all;
    private final int most;
    private int taken;

    /**
     * @param all connections at once
     * @param most of one sandbox
     */
    Budget(int all, int most) {
        this.all = all;
        this.most = most;
    }

    /** @param own connections that the sandbox has already */
    synchronized boolean take(int own) {
        if (own >= most || own >= all - taken) {
            return false;
        }
        taken++;
        return true;
    }

    synchronized void give() {
        taken--;
    }
}
