package dev.cortex.cli.command;

/** The command line cannot be understood: what is wrong with it, and what would be right. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String text;
    private final String remedy;

    public UsageException(String text, String remedy) {
        super(text);
        this.text = text;
        this.remedy = remedy;
    }

    public String text() {
        return text;
    }

    public String remedy() {
        return remedy;
    }
}
