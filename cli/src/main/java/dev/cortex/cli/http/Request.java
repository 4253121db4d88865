package dev.cortex.cli.http;

import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.nio.charset.StandardCharsets;

/** One request's head, written by hand: a few strings in order. */
public final class Request {
    private static final byte[] NO_BODY = {};

    private final Operation<?, ?> operation;
    private final StringBuilder target = new StringBuilder(128);
    private final StringBuilder headers = new StringBuilder(256);
    private boolean questioned;
    private byte[] body = NO_BODY;

    private Request(Operation<?, ?> operation, String... names) {
        this.operation = operation;
        target.append(Operations.PREFIX);
        fill(operation.path(), names);
    }

    /**
     * @param names what goes into the braces of the operation's path, in their order
     */
    public static Request of(Operation<?, ?> operation, String... names) {
        return new Request(operation, names);
    }

    private void fill(String path, String... names) {
        int next = 0;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '{') {
                i = path.indexOf('}', i);
                encode(names[next++].getBytes(StandardCharsets.UTF_8));
            } else {
                target.append(c);
            }
        }
    }

    public Request query(String name, String value) {
        target.append(questioned ? '&' : '?').append(name).append('=');
        questioned = true;
        encode(value.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public Request header(String name, String value) {
        headers.append(name).append(": ").append(value).append("\r\n");
        return this;
    }

    public Request json(byte[] content) {
        header("Content-Type", "application/json");
        body = content;
        return this;
    }

    public Operation<?, ?> operation() {
        return operation;
    }

    byte[] body() {
        return body;
    }

    /** Head and body, for a request whose body is known. */
    byte[] whole() {
        boolean bodied = operation.method() == Operation.Method.POST || body.length > 0;
        if (bodied) {
            header("Content-Length", Integer.toString(body.length));
        }
        byte[] head = head();
        byte[] all = new byte[head.length + body.length];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }

    byte[] head() {
        StringBuilder text = new StringBuilder(target.length() + headers.length() + 64);
        text.append(operation.method().name()).append(' ').append(target).append(" HTTP/1.1\r\nHost: cortex\r\n");
        return text.append(headers).append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private void encode(byte[] bytes) {
        for (byte b : bytes) {
            char c = (char) (b & 0xff);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-._~/".indexOf(c) >= 0) {
                target.append(c == '/' && !questioned ? "%2F" : String.valueOf(c));
            } else {
                target.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
    }

    private static final String HEX = "0123456789ABCDEF";
}
