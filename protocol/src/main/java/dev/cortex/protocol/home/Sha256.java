package dev.cortex.protocol.home;

/**
 * SHA-256 (FIPS 180-4) of a path. Java's own comes with its security providers, whose loading takes a tenth of the time
 * that the shortest command has; a path is one to a few blocks, so speed does not matter here.
 */
final class Sha256 {
    private static final int BLOCK = 64;

    private static final int[] ROUND = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
        0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
        0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
        0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2
    };

    private final int[] state = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };
    private final int[] words = new int[BLOCK];

    private Sha256() {}

    /** The first four bytes of the digest, as 8 hex digits. */
    static String firstDigits(byte[] message) {
        int first = new Sha256().digest(message);
        String hex = Integer.toHexString(first);
        return "0".repeat(8 - hex.length()) + hex;
    }

    private int digest(byte[] message) {
        int blocks = (message.length + 8) / BLOCK + 1;
        byte[] padded = new byte[blocks * BLOCK];
        System.arraycopy(message, 0, padded, 0, message.length);
        padded[message.length] = (byte) 0x80;
        long bits = message.length * 8L;
        for (int i = 0; i < 8; i++) {
            padded[padded.length - 1 - i] = (byte) (bits >>> (8 * i));
        }
        for (int block = 0; block < padded.length; block += BLOCK) {
            compress(padded, block);
        }
        return state[0];
    }

    private void compress(byte[] bytes, int from) {
        for (int i = 0; i < 16; i++) {
            int at = from + 4 * i;
            words[i] = (bytes[at] & 0xff) << 24
                    | (bytes[at + 1] & 0xff) << 16
                    | (bytes[at + 2] & 0xff) << 8
                    | (bytes[at + 3] & 0xff);
        }
        for (int i = 16; i < BLOCK; i++) {
            int s0 = right(words[i - 15], 7) ^ right(words[i - 15], 18) ^ (words[i - 15] >>> 3);
            int s1 = right(words[i - 2], 17) ^ right(words[i - 2], 19) ^ (words[i - 2] >>> 10);
            words[i] = words[i - 16] + s0 + words[i - 7] + s1;
        }
        int[] v = state.clone();
        for (int i = 0; i < BLOCK; i++) {
            int s1 = right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25);
            int one = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + ROUND[i] + words[i];
            int s0 = right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22);
            int two = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            System.arraycopy(v, 0, v, 1, 7);
            v[4] += one;
            v[0] = one + two;
        }
        for (int i = 0; i < 8; i++) {
            state[i] += v[i];
        }
    }

    private static int right(int word, int by) {
        return Integer.rotateRight(word, by);
    }
}
