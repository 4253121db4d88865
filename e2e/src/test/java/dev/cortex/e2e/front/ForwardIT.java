package dev.cortex.e2e.front;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cortex forward}: servers in a sandbox, reached from outside. */
final class ForwardIT {
    /** Answers what it got once its client has said all, and ends. */
    private static final String SERVER = """
            import socket, sys
            listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
            while True:
                client, _ = listener.accept()
                said = b""
                while part := client.recv(65536):
                    said += part
                client.sendall(said.upper())
                client.close()
            """;

    @ParameterizedTest
    @ValueSource(strings = {"oci", "process"})
    void aServerInsideIsReachedOverStopsAndCrashes(String driver) throws Exception {
        try (CortexHome cortex = CortexHome.open().with("CORTEX_ALLOW_INSECURE_PROCESS", "1")) {
            int inside = free();
            cortex.cortex("create", "a", "--driver", driver).succeeded();
            cortex.cortex(SERVER.getBytes(UTF_8), "cp", "-", "a:server.py").succeeded();
            try (Forward forward = Forward.of(cortex, "a", inside + ":0")) {
                serve(cortex, inside);
                forward.awaitAnswer(0);
                assertThat(forward.ask(0, "hello")).isEqualTo("HELLO");

                cortex.cortex("stop", "a").succeeded();
                assertThatIOException().isThrownBy(() -> forward.ask(0, "hello"));
                CortexHome.await(() -> forward.said().contains("a is stopped"), "that it says so");

                cortex.cortex("start", "a").succeeded();
                serve(cortex, inside);
                forward.awaitAnswer(0);
                assertThat(forward.said()).contains("answers again");

                cortex.killDaemon();
                assertThat(forward.ask(0, "after the crash")).isEqualTo("AFTER THE CRASH");
            }
        }
    }

    @Test
    void severalPortsAreForwardedAtOnceEachToItsOwn() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            cortex.cortex(SERVER.getBytes(UTF_8), "cp", "-", "a:server.py").succeeded();
            try (Forward forward = Forward.of(cortex, "a", "8001:0", "8002:0", "8003:0")) {
                serve(cortex, 8001);
                serve(cortex, 8002);
                forward.awaitAnswer(0);
                forward.awaitAnswer(1);
                try (Socket open = forward.connect(0)) {
                    open.getOutputStream().write("one ".getBytes(UTF_8));
                    assertThat(forward.ask(1, "two")).isEqualTo("TWO");
                    open.getOutputStream().write("by one".getBytes(UTF_8));
                    open.shutdownOutput();
                    assertThat(open.getInputStream().readAllBytes()).isEqualTo("ONE BY ONE".getBytes(UTF_8));
                }
                assertThatIOException().isThrownBy(() -> forward.ask(2, "nobody"));
                CortexHome.await(
                        () -> forward.said().contains("nothing listens on port 8003"), "what it says of a free port");
            }
        }
    }

    @Test
    void whatCannotBeForwardedIsSaidAtOnceWithWhatHelps() throws Exception {
        try (CortexHome cortex = CortexHome.open();
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CortexHome.Outcome unknown = cortex.cortex("forward", "nobody", "8080");
            assertThat(unknown.status()).isEqualTo(1);
            assertThat(unknown.stderr()).contains("nobody");

            cortex.cortex("create", "a").succeeded();
            CortexHome.Outcome refused = cortex.cortex("forward", "a", "8080:" + taken.getLocalPort());
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.stderr())
                    .contains("127.0.0.1 port " + taken.getLocalPort() + " is taken")
                    .contains("8080:0");

            assertThat(cortex.cortex("forward", "a", "80x").status()).isEqualTo(2);
            CortexHome.Outcome elsewhere = cortex.cortex("forward", "a", "8080:0", "--address", "192.0.2.1");
            assertThat(elsewhere.status()).isEqualTo(1);
            assertThat(elsewhere.stderr()).contains("192.0.2.1");
        }
    }

    @Test
    void aForwardEndsWhenItsSandboxIsRemoved() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            try (Forward forward = Forward.of(cortex, "a", "8080:0")) {
                cortex.cortex("rm", "--force", "--wipe", "a").succeeded();
                assertThatIOException().isThrownBy(() -> forward.ask(0, "hello"));
                assertThat(forward.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(forward.process.exitValue()).isEqualTo(1);
            }
        }
    }

    private static void serve(CortexHome cortex, int port) throws Exception {
        cortex.cortex("exec", "a", "--detach", "--", "python3", "server.py", Integer.toString(port))
                .succeeded();
    }

    /** The process driver's sandboxes share this machine's ports. */
    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A {@code cortex forward} that runs. */
    private record Forward(Process process, Path err, List<Integer> ports) implements AutoCloseable {
        static Forward of(CortexHome cortex, String name, String... pairs) throws Exception {
            Path out = cortex.folder().resolve("forward-out");
            Path err = cortex.folder().resolve("forward-err");
            String[] words = new String[pairs.length + 2];
            words[0] = "forward";
            words[1] = name;
            System.arraycopy(pairs, 0, words, 2, pairs.length);
            Process process = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()), out, err, words);
            CortexHome.await(() -> Files.exists(out) && Files.readAllLines(out).size() == pairs.length, "its ports");
            List<Integer> ports = Files.readAllLines(out).stream()
                    .map(line -> Integer.valueOf(line.substring(line.indexOf(':') + 1, line.indexOf(' '))))
                    .toList();
            return new Forward(process, err, ports);
        }

        Socket connect(int index) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(index));
            socket.setSoTimeout(60_000);
            return socket;
        }

        String ask(int index, String question) throws IOException {
            try (Socket socket = connect(index)) {
                socket.getOutputStream().write(question.getBytes(UTF_8));
                socket.shutdownOutput();
                return new String(socket.getInputStream().readAllBytes(), UTF_8);
            }
        }

        /** Until the server inside listens. */
        void awaitAnswer(int index) throws Exception {
            CortexHome.await(
                    () -> {
                        try {
                            return ask(index, "x").equals("X");
                        } catch (IOException e) {
                            return false;
                        }
                    },
                    "the server's answer");
        }

        String said() throws IOException {
            return Files.readString(err);
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
