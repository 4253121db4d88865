package dev.cortex.perimeter;

import java.net.Inet6Address;

/** IPv6 addresses in the one form of RFC 5952. */
final class AddressText {
    private static final int GROUPS = 8;

    private AddressText() {}

    static String of(Inet6Address address) {
        byte[] bytes = address.getAddress();
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++) {
            int zeros = zeros(groups, i);
            if (zeros > length) {
                start = i;
                length = zeros;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
                continue;
            }
            if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }

    private static int zeros(int[] groups, int from) {
        int count = 0;
        while (from + count < GROUPS && groups[from + count] == 0) {
            count++;
        }
        return count;
    }
}
