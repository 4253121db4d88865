package dev.cortex.cli.forward;

import dev.cortex.cli.command.UsageException;

/**
 * What {@code 8080} or {@code 8080:9000} asks for.
 *
 * @param inside the port in the sandbox
 * @param outside the port of this machine; 0 for any that is free
 */
public record PortPair(int inside, int outside) {
    private static final int MOST = 65_535;

    public static PortPair parse(String text) throws UsageException {
        int colon = text.indexOf(':');
        int inside = number(text, colon < 0 ? text : text.substring(0, colon), 1);
        return new PortPair(inside, colon < 0 ? inside : number(text, text.substring(colon + 1), 0));
    }

    private static int number(String whole, String digits, int least) throws UsageException {
        boolean plain =
                !digits.isEmpty() && digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = plain ? Integer.parseInt(digits) : -1;
        if (port < least || port > MOST) {
            throw new UsageException(
                    "'" + whole + "' is no port",
                    "write the port inside, and the one here where it differs: 8080:9000");
        }
        return port;
    }
}
