package dev.cortex.guest;

/** A guest said what no honest neuron says. Never leaves this package: {@link Calls#broken} makes GUEST_LOST of it. */
final class GuestFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GuestFault(String message) {
        super(message);
    }
}
