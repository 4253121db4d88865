package dev.cortex.sandbox.driver;

import dev.cortex.sandbox.guest.GuestIdentity.User;

/**
 * Where sessions find themselves by default.
 *
 * @param user the default user
 * @param workdir the default working directory, absolute, as it is called inside
 */
public record Placement(User user, String workdir) {
    /** Of every driver that gives its sandboxes a root of their own (DESIGN section 1). */
    public static final Placement AGENT = new Placement(User.AGENT, "/home/agent/workspace");
}
