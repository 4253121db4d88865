package dev.cortex.sandbox.guest;

/** What a guest tells its host, or asks of it. Everything in it is the guest's own word. */
public sealed interface GuestEvent {
    /** By which it is answered; unsigned. */
    long number();

    /**
     * A program wants a connection.
     *
     * @param host as the program wrote it, at most 255 bytes; whether it is a name at all is for the reader to find out
     * @param port 1 to 65,535
     * @param method of a plain HTTP request, empty for a tunnel
     * @param session whose program it is, empty where the guest does not know
     * @param program as the kernel calls it, fit to be shown, empty where the guest does not know
     */
    record Connect(long number, String host, int port, Via via, String method, String session, String program)
            implements GuestEvent {}

    /** Nobody waits for the answer to the event of this number any more. */
    record Withdrawn(long number) implements GuestEvent {}

    /** Of a kind that this version does not know. */
    record Unknown(long number, int kind) implements GuestEvent {}

    /** How a request reached the neuron. */
    enum Via {
        /** A way that this version does not know. */
        OTHER,
        /** HTTP CONNECT. */
        TUNNEL,
        /** A plain HTTP request with the whole address in it. */
        HTTP
    }
}
