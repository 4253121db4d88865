package dev.cortex.sandbox.spare;

/**
 * Whether sandboxes are started ahead.
 *
 * @param each so many of each kind that is in use, and of the kind that a create without any wish gets; 0: none at all
 * @param build of the programs that they are made with: those of another are not handed out
 */
public record SpareSettings(int each, String build) {
    /** Nothing is started ahead. */
    public static final SpareSettings OFF = new SpareSettings(0, "");

    /** More of them would be no spares: a machine of the size that this is made for holds 1,000 sandboxes. */
    public static final int MOST = 64;

    public SpareSettings {
        if (each < 0 || each > MOST) {
            throw new IllegalArgumentException("there can be 0 to " + MOST + " spares of a kind");
        }
    }

    public boolean on() {
        return each > 0;
    }

    /** Use raises the number of a kind up to this. */
    public int mostOfAKind() {
        return 4 * each;
    }

    /** Of all kinds together. */
    public int mostOfAll() {
        return 8 * each;
    }
}
