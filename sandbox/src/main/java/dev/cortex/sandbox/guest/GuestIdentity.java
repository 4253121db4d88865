package dev.cortex.sandbox.guest;

import java.util.List;

/**
 * What a sandbox is told before anything may run in it.
 *
 * @param environment base environment of its sessions, {@code KEY=value}
 * @param machineId 32 hex digits
 * @param root whether sessions may be root of the sandbox
 * @param proxy whether programs get a proxy, whose requests are the guest's events
 */
public record GuestIdentity(
        GuestToken token,
        long generation,
        String hostname,
        String machineId,
        List<byte[]> environment,
        User user,
        String workdir,
        long ringsTotalBytes,
        boolean root,
        boolean proxy) {

    /** @param uid numeric, in the sandbox */
    public record User(String name, int uid, int gid, String home) {
        /** The user of every sandbox, unless the image or the call says otherwise. */
        public static final User AGENT = new User("agent", 1000, 1000, "/home/agent");
    }
}
