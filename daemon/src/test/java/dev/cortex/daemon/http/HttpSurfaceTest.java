package dev.cortex.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.daemon.http.Client.Answer;
import dev.cortex.daemon.http.FakeTable.Greeted;
import dev.cortex.daemon.http.FakeTable.Greeting;
import dev.cortex.daemon.metrics.Metrics;
import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Method;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The surface over a table of the test's own, through real sockets. */
final class HttpSurfaceTest {
    private static final String TOKEN = "e2b_0123456789abcdef0123456789abcdef01234567";
    private static final String BEARER = "Authorization: Bearer " + TOKEN;

    @TempDir
    Path folder;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final CompletableFuture<Handler.Sink<Daemon.Event>> subscriber = new CompletableFuture<>();
    private final CompletableFuture<Void> unsubscribed = new CompletableFuture<>();
    private final CompletableFuture<Boolean> relayed = new CompletableFuture<>();

    private final FakeTable table = new FakeTable()
            .add("greet", Method.POST, "/greet/{who}", Greeting.class, Greeted.class, Body.JSON, (Handler.Json<
                            Greeting, Greeted>)
                    HttpSurfaceTest::greet)
            .add("look", Method.GET, "/things/{thing}", Void.class, Greeted.class, Body.JSON, (Handler.Json<
                            Void, Greeted>)
                    call -> new Greeted("saw " + call.path().get("thing") + call.query(), Optional.empty()))
            .add("list", Method.GET, "/things/all", Void.class, Greeted.class, Body.JSON, (Handler.Json<Void, Greeted>)
                    call -> new Greeted("all", Optional.empty()))
            .add("fail", Method.GET, "/fail/{how}", Void.class, Greeted.class, Body.JSON, (Handler.Json<Void, Greeted>)
                    HttpSurfaceTest::fail)
            .add("wait", Method.POST, "/wait", Void.class, Greeted.class, Body.JSON, (Handler.Json<Void, Greeted>)
                    call -> await())
            .add("put", Method.PUT, "/bytes", Void.class, Greeted.class, Body.UPLOAD, (Handler.Upload<Greeted>)
                    HttpSurfaceTest::count)
            .add("get", Method.GET, "/bytes", Void.class, Void.class, Body.DOWNLOAD, (Handler.Download)
                    HttpSurfaceTest::bytes)
            .add("events", Method.GET, "/events", Void.class, Daemon.Event.class, Body.EVENTS, (Handler.Events<
                            Daemon.Event>)
                    (call, to) -> {
                        subscriber.complete(to);
                        return () -> unsubscribed.complete(null);
                    })
            .add("echo", Method.POST, "/echo", Greeting.class, Void.class, Body.FRAMES, (Handler.Frames<Greeting>)
                    this::echo);

    private final Metrics metrics = new Metrics(() -> List::of, "20260101-abc");
    private final HttpSurface surface = new HttpSurface(table, TOKEN, "20260101-abc", metrics);

    @BeforeEach
    void start() {
        surface.start(folder.resolve("s"), 0, true);
    }

    @AfterEach
    void stop() {
        surface.close();
    }

    private static Greeted greet(Call<Greeting> call) {
        String said = "hello " + call.path().get("who") + " from "
                + call.request().name() + call.request().words();
        return new Greeted(
                call.query().containsKey("loud") ? said.toUpperCase(Locale.ROOT) : said, call.idempotencyKey());
    }

    private static Greeted fail(Call<Void> call) {
        throw switch (call.path().get("how")) {
            case "known" ->
                CortexException.of(ErrorCode.NOT_RUNNING, "it sleeps", "wake it")
                        .because("it is night");
            default -> new IllegalStateException("a secret of the daemon's");
        };
    }

    private Greeted await() {
        entered.countDown();
        try {
            Thread.sleep(60_000);
            interrupted.complete(false);
        } catch (InterruptedException e) {
            interrupted.complete(true);
        }
        throw CortexException.of(ErrorCode.CANCELLED, "cancelled", "");
    }

    private static Greeted count(Call<Void> call, ReadableByteChannel from) {
        long count = 0;
        ByteBuffer buffer = ByteBuffer.allocate(10_000);
        try {
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer.clear())) {
                count += read;
            }
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.CANCELLED, "broken off after " + count, "")
                    .because(e);
        }
        return new Greeted(count + " bytes", Optional.empty());
    }

    private static void bytes(Call<Void> call, Handler.Answer answer) throws IOException {
        long wanted = Long.parseLong(call.query().getOrDefault("wait_ms", "10"));
        if (wanted < 0) {
            throw CortexException.of(ErrorCode.NOT_FOUND, "no such file", "");
        }
        var to = answer.begin(wanted > 1_000_000 ? Map.of() : Map.of("Content-Length", Long.toString(wanted)));
        for (long sent = 0; sent < wanted; sent += 10) {
            if (sent == 500 && call.query().containsKey("loud")) {
                throw CortexException.of(ErrorCode.GUEST_LOST, "the guest died", "");
            }
            to.write(ByteBuffer.wrap("0123456789".getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private Handler.Relay echo(Call<Greeting> call) {
        if (call.request().name().equals("slow")) {
            entered.countDown();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(400));
        }
        return new Handler.Relay() {
            @Override
            public Map<String, String> headers() {
                return Map.of("Cortex-Session", "s_" + call.request().name());
            }

            @Override
            public void run(FrameChannel client) throws IOException {
                Optional<Frame> next = client.read();
                relayed.complete(next.isPresent());
                while (next.isPresent() && !(next.get() instanceof Frame.StdinClose)) {
                    client.write(next.get());
                    next = client.read();
                }
                client.write(new Frame.Exit(1, 0));
            }
        };
    }

    private Client unix() throws IOException {
        return new Client(SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("s"))));
    }

    private Client tcp() throws IOException {
        return new Client(SocketChannel.open(
                new InetSocketAddress("127.0.0.1", surface.port().orElseThrow())));
    }

    // ---- calls -------------------------------------------------------------------------------------------------

    @Test
    void aCallTakesItsRecordAndAnswersWithAnotherInSnakeCase() throws IOException {
        try (Client client = unix()) {
            Answer answer = client.call("POST", "/api/v1/greet/w%C3%B6rld", "{\"name\":\"me\"}", "Idempotency-Key: k1");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("Content-Type")).contains("application/json");
            assertThat(answer.header("Cortex-Version")).contains("20260101-abc");
            assertThat(answer.json().get("said").asString()).isEqualTo("hello wörld from me[]");
            assertThat(answer.json().get("idempotency_key").asString()).isEqualTo("k1");
        }
    }

    @Test
    void aConnectionServesOneRequestAfterAnother() throws IOException {
        try (Client client = unix()) {
            for (int i = 0; i < 50; i++) {
                assertThat(client.get("/api/v1/things/" + i).json().get("said").asString())
                        .isEqualTo("saw " + i + "{}");
            }
        }
    }

    @Test
    void aFixedSegmentGoesBeforeAParameter() throws IOException {
        try (Client client = unix()) {
            assertThat(client.get("/api/v1/things/all").json().get("said").asString())
                    .isEqualTo("all");
        }
    }

    @Test
    void anUnknownFieldAMissingOneAndAWrongTypeAreRefusedByName() throws IOException {
        try (Client client = unix()) {
            assertProblem(
                    client.call("POST", "/api/v1/greet/x", "{\"name\":\"me\",\"nme\":1}"),
                    400,
                    "INVALID_ARGUMENT",
                    "'nme'");
            assertProblem(client.call("POST", "/api/v1/greet/x", "{}"), 400, "INVALID_ARGUMENT", "'name' is missing");
            assertProblem(client.call("POST", "/api/v1/greet/x", ""), 400, "INVALID_ARGUMENT", "'name'");
            assertProblem(
                    client.call("POST", "/api/v1/greet/x", "{\"name\":\"me\",\"times\":\"many\"}"),
                    400,
                    "INVALID_ARGUMENT",
                    "'times'");
            assertProblem(client.call("POST", "/api/v1/greet/x", "null"), 400, "INVALID_ARGUMENT", "null");
            assertProblem(
                    client.call("POST", "/api/v1/greet/x", "{\"times\":" + "9".repeat(100_000) + "}"),
                    400,
                    "INVALID_ARGUMENT",
                    "");
            assertProblem(client.call("POST", "/api/v1/greet/x", "{\"name\""), 400, "INVALID_ARGUMENT", "not JSON");
            assertProblem(client.call("POST", "/api/v1/greet/x", "{\"name\":\"a\"} {}"), 400, "INVALID_ARGUMENT", "");
        }
    }

    @Test
    void everyProblemOfAQueryIsToldTogetherWithWhatThereIs() throws IOException {
        try (Client client = unix()) {
            Answer answer = client.get("/api/v1/things/x?lout=1&loud=perhaps&wait_ms=soon&wait_ms=2");
            assertProblem(answer, 400, "INVALID_ARGUMENT", "'lout'");
            assertThat(answer.json().get("detail").asString())
                    .contains(
                            "'loud' must be true or false",
                            "'wait_ms' must be a whole number",
                            "'wait_ms' is given twice");
            assertThat(answer.json().get("remedy").asString()).contains("loud, wait_ms");
            assertThat(client.get("/api/v1/things/x?loud").status()).isEqualTo(200);
        }
    }

    @Test
    void whatIsNotThereIs404AndTheWrongMethodIs405WithWhatIsAllowed() throws IOException {
        try (Client client = unix()) {
            assertProblem(client.get("/api/v1/nothing"), 404, "NOT_FOUND", "/api/v1/nothing");
            assertProblem(client.get("/"), 404, "NOT_FOUND", "");
            Answer wrong = client.call("DELETE", "/api/v1/things/x", "");
            assertProblem(wrong, 405, "INVALID_ARGUMENT", "DELETE");
            assertThat(wrong.header("Allow")).contains("GET, HEAD");
            assertThat(client.call("DELETE", "/api/v1/bytes", "").header("Allow"))
                    .contains("GET, HEAD, PUT");
        }
    }

    @Test
    void whatAClientDoesNotAcceptIs406AndABodyThatIsNotJsonIs415() throws IOException {
        try (Client client = unix()) {
            assertProblem(client.get("/api/v1/things/x", "Accept: text/html"), 406, "INVALID_ARGUMENT", "json");
            assertProblem(
                    client.get("/api/v1/things/x", "Accept: application/json;q=0"), 406, "INVALID_ARGUMENT", "json");
            assertThat(client.get("/api/v1/things/x", "Accept: text/html, application/*;q=0.5")
                            .status())
                    .isEqualTo(200);
            assertProblem(
                    client.call("POST", "/api/v1/greet/x", "{\"name\":\"a\"}", "Content-Type: text/xml"),
                    415,
                    "INVALID_ARGUMENT",
                    "text/xml");
        }
    }

    @Test
    void aBodyOverTheCapIs413WhetherItsLengthIsToldOrNot() throws IOException {
        try (Client client = unix()) {
            client.send("POST /api/v1/greet/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n{");
            assertProblem(client.answer(false), 413, "INVALID_ARGUMENT", "8 MiB");
        }
        try (Client client = unix()) {
            client.send("POST /api/v1/greet/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            byte[] blanks = " ".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
            try {
                for (int i = 0; i < 10; i++) {
                    client.send("100000\r\n");
                    client.write(blanks);
                    client.send("\r\n");
                }
            } catch (IOException refusedEarly) {
                // The daemon need not take what it has refused.
            }
            assertProblem(client.answer(false), 413, "INVALID_ARGUMENT", "8 MiB");
        }
    }

    @Test
    void headAnswersWithTheHeadersOfGetAndWithoutABody() throws IOException {
        try (Client client = unix()) {
            Answer json = client.call("HEAD", "/api/v1/things/x", "");
            assertThat(json.status()).isEqualTo(200);
            Answer download = client.call("HEAD", "/api/v1/bytes?wait_ms=1000", "");
            assertThat(download.status()).isEqualTo(200);
            assertThat(download.header("Content-Length")).contains("1000");
            assertThat(client.get("/api/v1/things/x").status()).isEqualTo(200);
        }
    }

    @Test
    void anErrorIsAProblemWithCauseAndRemedyAndAFailureTellsNothingOfTheInside() throws IOException {
        try (Client client = unix()) {
            Answer known = client.get("/api/v1/fail/known");
            assertProblem(known, 409, "NOT_RUNNING", "it sleeps");
            assertThat(known.json().get("cause").asString()).isEqualTo("it is night");
            assertThat(known.json().get("remedy").asString()).isEqualTo("wake it");
            assertThat(known.json().get("title").asString()).isEqualTo("Not running");
            assertProblem(client.get("/api/v1/fail/otherwise"), 500, "INTERNAL", "");
        }
    }

    @Test
    void whatIsNoProperRequestIsAProblemToo() throws IOException {
        for (String request : List.of(
                "GET /api/v1/things/a%2Fb HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /api/v1/things/%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /api/v1/things/a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GARBAGE\r\n\r\n")) {
            try (Client client = unix()) {
                client.send(request);
                assertProblem(client.answer(false), 400, "INVALID_ARGUMENT", "");
            }
        }
        try (Client client = unix()) {
            client.send("GET /api/v1/things/x HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
            assertProblem(client.answer(false), 431, "INVALID_ARGUMENT", "");
        }
    }

    @Test
    void aTraceOfTheCallersGoesOnAndOneThatIsNoneIsReplaced() throws IOException {
        String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        try (Client client = unix()) {
            assertThat(client.get("/api/v1/things/x", "traceparent: " + parent).header("traceparent"))
                    .contains(parent);
            assertThat(client.get("/api/v1/things/x", "traceparent: 00-zz").header("traceparent"))
                    .hasValueSatisfying(fresh -> assertThat(fresh).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00"));
        }
    }

    @Test
    void aClientThatGoesAwayInterruptsTheHandler() throws Exception {
        try (Client client = unix()) {
            client.request("POST", "/api/v1/wait", "");
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
    }

    // ---- who may ask -------------------------------------------------------------------------------------------

    @Test
    void overTcpATokenIsNeededAndOverTheSocketNone() throws IOException {
        try (Client client = tcp()) {
            assertProblem(client.get("/api/v1/things/x"), 401, "UNAUTHENTICATED", "token");
            assertProblem(
                    client.get("/api/v1/things/x", "Authorization: Bearer e2b_no"), 401, "UNAUTHENTICATED", "token");
            assertProblem(
                    client.get("/api/v1/things/x", "Authorization: Basic " + TOKEN), 401, "UNAUTHENTICATED", "token");
            assertProblem(client.get("/api/v1/openapi.json"), 401, "UNAUTHENTICATED", "token");
            assertProblem(client.get("/api/v1/nothing"), 401, "UNAUTHENTICATED", "token");
            assertThat(client.get("/api/v1/things/x", BEARER).status()).isEqualTo(200);
            assertThat(client.get("/api/v1/things/x", BEARER, "Host: 127.0.0.1:3100")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void metricsNeedTheTokenLikeEverythingElseAndCountWhatWasAnsweredByOperationAndCode() throws IOException {
        try (Client client = tcp()) {
            assertProblem(client.get("/metrics"), 401, "UNAUTHENTICATED", "token");
            client.get("/api/v1/things/x", BEARER);
            client.get("/api/v1/fail/known", BEARER);
            client.get("/api/v1/no/such/thing", BEARER);
            Answer page = client.get("/metrics", BEARER);
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.header("Content-Type").orElseThrow()).startsWith("text/plain; version=0.0.4");
            assertThat(page.text())
                    .contains("cortex_operations_total{code=\"OK\",operation=\"look\"} 1.0\n")
                    .contains("cortex_operations_total{code=\"NOT_RUNNING\",operation=\"fail\"} 1.0\n")
                    .contains("cortex_operations_total{code=\"UNAUTHENTICATED\",operation=\"none\"} 1.0\n")
                    .contains("cortex_operations_total{code=\"NOT_FOUND\",operation=\"none\"} 1.0\n")
                    .contains("cortex_operation_duration_seconds_count{operation=\"look\"} 1\n")
                    .contains("cortex_build_info{version=\"20260101-abc\"} 1");
        }
        try (Client client = unix()) {
            Answer open = client.get("/metrics", "Accept: application/openmetrics-text; version=1.0.0");
            assertThat(open.header("Content-Type").orElseThrow()).startsWith("application/openmetrics-text");
            assertThat(open.text()).endsWith("# EOF\n");
            assertProblem(client.call("POST", "/metrics", ""), 405, "INVALID_ARGUMENT", "only read");
        }
    }

    @Test
    void whatAClientAsksForMakesNoSeriesOfItsOwn() throws IOException {
        try (Client client = unix()) {
            for (int i = 0; i < 50; i++) {
                client.get("/api/v1/things/name-of-a-sandbox-" + i);
                client.get("/api/v1/nothing-" + i);
            }
            assertThat(client.get("/metrics").text())
                    .contains("operation=\"look\"} 50.0")
                    .contains("operation=\"none\"} 50.0")
                    .doesNotContain("name-of-a-sandbox", "nothing-");
        }
    }

    @Test
    void aNameThatWasMadeToPointHereIsRefusedEvenWithTheToken() throws IOException {
        try (Client client = tcp()) {
            assertProblem(client.get("/api/v1/things/x", BEARER, "Host: evil.example"), 403, "DENIED", "evil.example");
            assertProblem(
                    client.get("/api/v1/things/x", BEARER, "Host: 127.0.0.1.evil.example:3100"), 403, "DENIED", "evil");
        }
    }

    @Test
    void aTakenPortIsAnErrorWhenItWasAskedForAndElseTheSocketIsServedAlone() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
                HttpSurface required = new HttpSurface(table, TOKEN, "", metrics);
                HttpSurface relaxed = new HttpSurface(table, TOKEN, "", metrics)) {
            assertThatThrownBy(() -> required.start(folder.resolve("r"), taken.getLocalPort(), true))
                    .isInstanceOf(CortexException.class)
                    .hasMessageContaining("is taken");
            relaxed.start(folder.resolve("q"), taken.getLocalPort(), false);
            assertThat(relaxed.port()).isEmpty();
            try (Client client = new Client(SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("q"))))) {
                assertThat(client.get("/api/v1/things/x").status()).isEqualTo(200);
            }
        }
    }

    // ---- streams -----------------------------------------------------------------------------------------------

    @Test
    void anUploadIsReadAsItComesAndOneThatBreaksOffIsNotTakenForWhole() throws IOException {
        try (Client client = unix()) {
            client.send("PUT /api/v1/bytes HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 3000000\r\n\r\n");
            assertThat(client.head()).startsWith("HTTP/1.1 100");
            client.write(new byte[3_000_000]);
            assertThat(client.answer(false).json().get("said").asString()).isEqualTo("3000000 bytes");
            client.send("PUT /api/v1/bytes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
            assertThat(client.answer(false).json().get("said").asString()).isEqualTo("7 bytes");
            client.send("PUT /api/v1/bytes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc");
            client.socket().shutdownOutput();
            assertThatExceptionOfType(Exception.class).isThrownBy(() -> {
                Answer answer = client.answer(false);
                assertThat(answer.status()).isGreaterThanOrEqualTo(400);
                throw new EOFException();
            });
        }
    }

    @Test
    void aDownloadHasItsLengthOrIsChunkedAndARefusalBeforeItsFirstByteIsAProblem() throws IOException {
        try (Client client = unix()) {
            Answer told = client.get("/api/v1/bytes?wait_ms=5000");
            assertThat(told.header("Content-Length")).contains("5000");
            assertThat(told.text()).hasSize(5_000);
            Answer chunked = client.get("/api/v1/bytes?wait_ms=2000000");
            assertThat(chunked.text()).hasSize(2_000_000);
            assertProblem(client.get("/api/v1/bytes?wait_ms=-1"), 404, "NOT_FOUND", "no such file");
        }
    }

    @Test
    void aDownloadThatFailsHalfWayBreaksTheConnectionOff() throws IOException {
        try (Client client = unix()) {
            assertThatThrownBy(() -> client.get("/api/v1/bytes?wait_ms=1000&loud=1"))
                    .isInstanceOf(IOException.class);
        }
        try (Client client = unix()) {
            assertThatThrownBy(() -> client.get("/api/v1/bytes?wait_ms=2000000&loud=1"))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void eventsArriveAsTheyHappenAndTheSubscriptionEndsWithItsClient() throws Exception {
        try (Client client = unix()) {
            client.request("GET", "/api/v1/events", "");
            assertThat(client.head()).contains("text/event-stream");
            Handler.Sink<Daemon.Event> send = subscriber.get(20, TimeUnit.SECONDS);
            send.offer(new Daemon.Event(7, Instant.EPOCH, "sandbox.running", "sb_1", Optional.empty(), "up"));
            String line = client.line();
            while (!line.startsWith("id:")) {
                line = client.line();
            }
            assertThat(line).isEqualTo("id: 7");
            assertThat(client.line()).isEqualTo("event: sandbox.running");
            assertThat(client.line()).contains("\"sequence\":7", "\"sandbox\":\"sb_1\"");
        }
        Handler.Sink<Daemon.Event> send = subscriber.join();
        for (int i = 0; i < 1_000 && !unsubscribed.isDone(); i++) {
            send.offer(new Daemon.Event(i, Instant.EPOCH, "sandbox.running", "sb_1", Optional.empty(), "up"));
            Thread.sleep(10);
        }
        assertThat(unsubscribed).isDone();
    }

    // ---- frames ------------------------------------------------------------------------------------------------

    @Test
    void aConnectionIsUpgradedToFramesOnBothKindsOfSocketsAlsoWithABodyAndWithFramesSentEarly() throws IOException {
        for (boolean overTcp : List.of(false, true)) {
            try (Client client = overTcp ? tcp() : unix()) {
                assertThat(client.get("/api/v1/things/x", BEARER).status()).isEqualTo(200);
                FrameChannel frames = FrameChannels.over(client.raw());
                client.request(
                        "POST",
                        "/api/v1/echo",
                        "{\"name\":\"me\"}",
                        BEARER,
                        "Connection: Upgrade",
                        "Upgrade: cortex-frames");
                if (overTcp) {
                    // Before the answer: what the server has read along with the request must not be lost.
                    frames.write(data("early"));
                }
                Answer answer = client.answer(false);
                assertThat(answer.status()).isEqualTo(101);
                assertThat(answer.header("Cortex-Session")).contains("s_me");
                assertThat(answer.header("Upgrade")).contains("cortex-frames");
                if (!overTcp) {
                    frames.write(data("early"));
                }
                assertThat(frames.read()).contains(data("early"));
                for (int i = 0; i < 1_000; i++) {
                    frames.write(data("frame " + i));
                    assertThat(frames.read()).contains(data("frame " + i));
                }
                frames.write(new Frame.StdinClose());
                assertThat(frames.read()).contains(new Frame.Exit(1, 0));
                assertThat(frames.read()).isEmpty();
            }
        }
    }

    @Test
    void framesSentEarlyToAnOperationThatTakesLongerThanAWatchLooksAwayArriveWhole() throws IOException {
        try (Client client = unix()) {
            client.request(
                    "POST", "/api/v1/echo", "{\"name\":\"slow\"}", "Connection: Upgrade", "Upgrade: cortex-frames");
            FrameChannel frames = FrameChannels.over(client.raw());
            entered.await();
            frames.write(data("early"));
            assertThat(client.answer(false).status()).isEqualTo(101);
            assertThat(frames.read()).contains(data("early"));
            frames.write(data("late"));
            assertThat(frames.read()).contains(data("late"));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSilentConnectionIsClosedButNeitherOneWithAnUnansweredRequestNorOneThatWasUpgraded() throws Exception {
        Path socket = folder.resolve("k");
        table.add("slow", Method.GET, "/slow", Void.class, Greeted.class, Body.JSON, (Handler.Json<Void, Greeted>)
                call -> slow());
        try (HttpSurface impatient = new HttpSurface(table, TOKEN, "", metrics, Duration.ofMillis(200))) {
            impatient.start(socket, 0, true);
            try (Client silent = new Client(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
                    Client slow = new Client(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
                    Client upgraded = new Client(SocketChannel.open(UnixDomainSocketAddress.of(socket)))) {
                assertThat(silent.get("/api/v1/things/x").status()).isEqualTo(200);
                upgraded.request(
                        "POST", "/api/v1/echo", "{\"name\":\"me\"}", "Connection: Upgrade", "Upgrade: cortex-frames");
                assertThat(upgraded.answer(false).status()).isEqualTo(101);
                assertThat(slow.get("/api/v1/slow").status()).isEqualTo(200);
                assertThatThrownBy(() -> silent.exactly(1)).isInstanceOf(IOException.class);
                FrameChannel frames = FrameChannels.over(upgraded.raw());
                frames.write(data("still here"));
                assertThat(frames.read()).contains(data("still here"));
            }
        }
    }

    private static Greeted slow() {
        try {
            Thread.sleep(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Greeted("at last", Optional.empty());
    }

    @Test
    void aClientThatGoesAwayEndsItsRelay() throws Exception {
        try (Client client = unix()) {
            client.request(
                    "POST", "/api/v1/echo", "{\"name\":\"me\"}", "Connection: Upgrade", "Upgrade: cortex-frames");
            assertThat(client.answer(false).status()).isEqualTo(101);
        }
        assertThat(relayed.get(20, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void withoutAnUpgradeAFramesOperationIs426AndDoesNothing() throws IOException {
        try (Client client = unix()) {
            Answer answer = client.call("POST", "/api/v1/echo", "{\"name\":\"me\"}");
            assertProblem(answer, 426, "INVALID_ARGUMENT", "upgrade");
            assertThat(answer.header("Upgrade")).contains("cortex-frames");
            assertThat(relayed).isNotDone();
        }
    }

    private static Frame.Data data(String text) {
        return new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static void assertProblem(Answer answer, int status, String code, String words) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.json().get("code").asString()).isEqualTo(code);
        assertThat(answer.json().get("status").asInt()).isEqualTo(status);
        assertThat(answer.json().get("detail").asString()).contains(words).doesNotContain("secret");
    }
}
