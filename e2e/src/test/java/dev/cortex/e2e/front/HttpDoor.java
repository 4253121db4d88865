package dev.cortex.e2e.front;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The HTTP API of a home's daemon on its port, with its token. */
final class HttpDoor {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;
    private final String token;

    private HttpDoor(String base, String token) {
        this.base = base;
        this.token = token;
    }

    static HttpDoor to(CortexHome cortex) throws IOException {
        return new HttpDoor("http://127.0.0.1:" + cortex.port() + "/api/v1", cortex.token());
    }

    HttpDoor withToken(String other) {
        return new HttpDoor(base, other);
    }

    record Answer(int status, String body, String type) {}

    Answer post(String path, String json) throws IOException, InterruptedException {
        return send("POST", path, HttpRequest.BodyPublishers.ofString(json));
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, HttpRequest.BodyPublishers.noBody());
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, HttpRequest.BodyPublishers.noBody());
    }

    Answer put(String path, byte[] body) throws IOException, InterruptedException {
        return send("PUT", path, HttpRequest.BodyPublishers.ofByteArray(body));
    }

    private Answer send(String method, String path, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create(base + path))
                        .method(method, body)
                        .timeout(Duration.ofSeconds(120))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.body(),
                response.headers().firstValue("Content-Type").orElse(""));
    }
}
