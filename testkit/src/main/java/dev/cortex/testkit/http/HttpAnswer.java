package dev.cortex.testkit.http;

import java.nio.charset.StandardCharsets;

/**
 * What a server answered.
 *
 * @param head status line and headers
 */
public record HttpAnswer(int status, String head, byte[] body) {
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public boolean isSuccess() {
        return status >= 200 && status < 300;
    }
}
