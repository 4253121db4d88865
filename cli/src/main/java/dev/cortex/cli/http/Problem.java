package dev.cortex.cli.http;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The daemon's problem+json as the exception that it was there. */
final class Problem {
    private Problem() {}

    static CortexException of(Response response) throws IOException {
        byte[] body = response.body();
        Json problem = Json.ABSENT;
        try {
            problem = JsonText.read(body);
        } catch (JsonText.NotJsonException e) {
            // Not from an operation of ours: what it says is shown as it is.
        }
        String message = first(problem.get("message"), problem.get("detail"), problem.get("title"));
        ErrorCode code = ErrorCode.named(problem.get("code").text()).orElse(ofStatus(response.status()));
        if (message.isEmpty()) {
            message =
                    "the daemon answers " + response.status() + " " + new String(body, StandardCharsets.UTF_8).strip();
        }
        CortexException error =
                CortexException.of(code, message, problem.get("remedy").text());
        String cause = problem.get("cause").text();
        return cause.isEmpty() ? error : error.because(cause);
    }

    private static String first(Json... values) {
        for (Json value : values) {
            if (!value.text().isEmpty()) {
                return value.text();
            }
        }
        return "";
    }

    private static ErrorCode ofStatus(int status) {
        return switch (status) {
            case 400 -> ErrorCode.INVALID_ARGUMENT;
            case 401 -> ErrorCode.UNAUTHENTICATED;
            case 403 -> ErrorCode.DENIED;
            case 404 -> ErrorCode.NOT_FOUND;
            case 501 -> ErrorCode.UNSUPPORTED;
            case 503 -> ErrorCode.NOT_READY;
            default -> ErrorCode.INTERNAL;
        };
    }
}
