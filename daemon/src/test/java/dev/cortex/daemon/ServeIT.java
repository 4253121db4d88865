package dev.cortex.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mains as processes of their own. Needs the installed programs of {@code cortex.install}. */
final class ServeIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    private Process start(Class<?> main, String... words) throws IOException {
        List<String> argv = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Dcortex.install=" + System.getProperty("cortex.install"),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        argv.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(argv)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err-" + started.size()).toFile());
        builder.environment().put("CORTEX_HOME", folder.resolve("home").toString());
        builder.environment().remove("CORTEX_PORT");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private int run(Class<?> main, String... words) throws Exception {
        Process process = start(main, words);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** What the last process said on stderr. */
    private String words() throws IOException {
        return Files.readString(folder.resolve("err-" + (started.size() - 1)));
    }

    private Process serve(String... words) throws Exception {
        Process daemon = start(Serve.class, words);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!words().contains("cortex: serving")) {
            assertThat(daemon.isAlive()).as(words()).isTrue();
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(10);
        }
        return daemon;
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : started) {
            process.destroy();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        Path run = home().runFolder();
        Files.deleteIfExists(run.resolve("port"));
        Files.deleteIfExists(run);
    }

    private Home home() {
        return Home.at(folder.resolve("home"));
    }

    private String get(String path) throws IOException {
        try (SocketChannel socket = SocketChannel.open(UnixDomainSocketAddress.of(home().socket()))) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(1 << 20);
            while (socket.read(answer) >= 0) {}
            return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aDaemonServesItsHomeIsSeenByTheDoctorAndIsEndedByStop() throws Exception {
        Process daemon = serve("serve", "--port", "0");
        assertThat(words()).hasLineCount(1).contains(home().socket().toString(), "http://127.0.0.1:");
        assertThat(get("/api/v1/health")).contains("200 OK", "\"status\":\"ok\"", "\"pid\":" + daemon.pid());
        assertThat(Files.readString(home().token())).matches("e2b_[0-9a-f]{40}\n");
        assertThat(Files.readString(home().log())).contains("\"operation\":\"daemon.health\"");

        run(Doctor.class, "doctor");
        assertThat(Files.readString(folder.resolve("out")))
                .contains("machine", "daemon    pid " + daemon.pid(), "http://127.0.0.1:", "oci", "process");

        assertThat(run(Serve.class, "serve", "--stop")).as(words()).isZero();
        assertThat(daemon.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(home().socket()).doesNotExist();
        assertThat(PortFile.of(home())).doesNotExist();
        assertThat(home().pidFile()).doesNotExist();
        assertThat(Files.readString(home().log())).contains("\"message\":\"ended\"");

        assertThat(run(Serve.class, "serve", "--stop")).isZero();
        assertThat(words()).contains("no daemon runs");
    }

    @Test
    void aSecondDaemonOfAHomeIsToldWhoOwnsIt() throws Exception {
        Process first = serve("serve", "--port", "0");
        assertThat(run(Serve.class, "serve", "--port", "0")).isEqualTo(1);
        assertThat(words()).contains("is owned by process " + first.pid());
        assertThat(get("/api/v1/health")).contains("200 OK");
    }

    @Test
    void aDaemonThatWasKilledIsFollowedByOneInItsPlace() throws Exception {
        serve("serve", "--port", "0").destroyForcibly().waitFor();
        assertThat(home().socket()).exists();
        serve("serve", "--port", "0");
        assertThat(get("/api/v1/health")).contains("200 OK");
    }

    @Test
    void aTakenPortThatWasAskedForAndUnknownWordsAndSettingsEndWithTheirWords() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(run(Serve.class, "serve", "--port", port)).isEqualTo(1);
            assertThat(words())
                    .startsWith("cortex: port " + port + " is taken\n")
                    .contains("--port");
        }
        assertThat(run(Serve.class, "serve", "--prt", "1")).isEqualTo(2);
        assertThat(words()).contains("'--prt'");
        Files.writeString(home().settings(), "prot: 1\n");
        assertThat(run(Serve.class, "serve")).isEqualTo(2);
        assertThat(words()).contains("there is no setting 'prot'");
    }
}
