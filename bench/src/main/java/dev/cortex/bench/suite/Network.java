package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.measure.Entry;
import dev.cortex.bench.measure.Interleaved;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.place.WebServer;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A sandbox's way out beside none and beside tinyproxy, which the same client uses on the host. */
final class Network {
    /** The name by which a sandbox asks for this machine's loopback. */
    private static final String HERE = "host.cortex.internal";

    private final Grounds grounds;

    Network(Grounds grounds) {
        this.grounds = grounds;
    }

    List<Measure> measures() {
        return List.of(
                measure(
                        "latency",
                        "a request of one byte from a server on loopback, on a kept connection where the way allows it",
                        Unit.MILLISECONDS,
                        Proxied.Fetch.SMALL,
                        new Promise.AtMostTimes("cortex crun", "tinyproxy", 1)),
                measure(
                        "throughput",
                        "64 MiB from a server on loopback",
                        Unit.MEGABYTES_A_SECOND,
                        Proxied.Fetch.LARGE,
                        new Promise.AtLeastShare("cortex crun", "tinyproxy", 1)));
    }

    private Measure measure(String id, String about, Unit unit, Proxied.Fetch fetch, Promise promise) {
        Shared<WebServer> server = new Shared<>(
                () -> grounds.releases().add(WebServer.start(grounds.checkout().bench("load"))));
        return new Interleaved(
                id,
                about,
                unit,
                200,
                20,
                3,
                List.of(
                        Entry.of("direct", () -> direct(fetch, server)),
                        Entry.of("tinyproxy", () -> tinyproxy(fetch, server)),
                        Entry.of("cortex crun", () -> cortex(fetch, server))),
                List.of(promise));
    }

    private Contender direct(Proxied.Fetch fetch, Shared<WebServer> server) throws Exception {
        int port = server.take().port();
        return new Proxied("direct", fetch, onHost(port, Map.of()), server::release);
    }

    private Contender tinyproxy(Proxied.Fetch fetch, Shared<WebServer> server) throws Exception {
        int port = server.take().port();
        Tinyproxy proxy;
        try {
            proxy = grounds.releases().add(Tinyproxy.start(grounds.folder()));
        } catch (IOException e) {
            server.release();
            throw e;
        }
        return new Proxied("tinyproxy", fetch, onHost(port, Map.of("http_proxy", proxy.address())), () -> {
            proxy.close();
            server.release();
        });
    }

    private Proxied.Client onHost(int port, Map<String, String> environment) {
        Path load = grounds.checkout().bench("load");
        return (path, requests) -> grounds.stopwatch()
                .time(
                        List.of(
                                load.toString(),
                                "get",
                                "http://127.0.0.1:" + port + "/" + path,
                                Integer.toString(requests)),
                        environment,
                        "")
                .succeeded()
                .output();
    }

    private Contender cortex(Proxied.Fetch fetch, Shared<WebServer> server) throws Exception {
        int port = server.take().port();
        CortexDaemon daemon = grounds.daemon(grounds.checkout(), Map.of());
        UnixHttp http = daemon.connect();
        CortexDaemon.succeeded(http.post(
                "/api/v1/sandboxes",
                "{\"name\":\"box\",\"driver\":\"oci\",\"runtime\":\"crun\",\"egress\":{\"allow_hosts\":[\"" + HERE + ":"
                        + port + "\"]}}"));
        byte[] load = java.nio.file.Files.readAllBytes(grounds.checkout().bench("load"));
        CortexDaemon.succeeded(http.upload(
                "/api/v1/sandboxes/box/files?path=/home/agent/load&mode=755", ByteBuffer.wrap(load), load.length));
        return new Proxied(
                "cortex crun",
                fetch,
                (path, requests) -> CortexDaemon.exec(
                        http,
                        "box",
                        "/home/agent/load",
                        "get",
                        "http://" + HERE + ":" + port + "/" + path,
                        Integer.toString(requests)),
                () -> {
                    http.close();
                    daemon.close();
                    server.release();
                });
    }
}
