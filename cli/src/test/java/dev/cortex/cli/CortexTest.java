package dev.cortex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.cli.CommandLine.Ended;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole command in a process of its own, against a daemon that a test scripts. */
final class CortexTest {
    private static final Frame.Exit SUCCESS = new Frame.Exit(1, 0);
    private static final String VIEW = """
            {"id":"sb_1","name":"api","state":"running","reason":"","driver":"oci","runtime":"crun","image":"host",\
            "image_digest":"sha256:3f1c99","user":"agent","workdir":"/w","limits":{"memory_bytes":2147483648,"cpus":0.0,\
            "processes":1024,"disk_bytes":0},"labels":{},"remove_on_exit":false,"primary":"%s",\
            "created_at":"2026-01-02T03:04:05Z","usage":{"memory_bytes":222298112,"processes":3,"sessions_running":1,\
            "sessions_started":9,"uptime_ms":5,"neuron":"x"}}""";

    @TempDir
    Path home;

    private Optional<ScriptedDaemon> daemon = Optional.empty();

    private ScriptedDaemon serve(ScriptedDaemon.Script script) throws IOException {
        Home.at(home).makeRunFolder();
        ScriptedDaemon made = new ScriptedDaemon(Home.at(home).socket(), script);
        daemon = Optional.of(made);
        return made;
    }

    @AfterEach
    void stop() throws IOException {
        if (daemon.isPresent()) {
            daemon.get().close();
        }
        Files.deleteIfExists(Home.at(home).socket());
        Files.deleteIfExists(Home.at(home).runFolder());
    }

    private Ended cortex(String... words) throws Exception {
        return new CommandLine(home, words).run();
    }

    private static void write(FrameChannel frames, Frame.Tag tag, String text) throws IOException {
        write(frames, tag, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void write(FrameChannel frames, Frame.Tag tag, byte[] bytes) throws IOException {
        frames.write(new Frame.Data(tag, ByteBuffer.wrap(bytes)));
    }

    /** Stdin up to its end. */
    private static byte[] stdin(FrameChannel frames) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (true) {
            switch (frames.read().orElseThrow()) {
                case Frame.Data data -> {
                    byte[] bytes = new byte[data.bytes().remaining()];
                    data.bytes().get(bytes);
                    all.write(bytes);
                }
                case Frame.StdinClose close -> {
                    return all.toByteArray();
                }
                case Frame.Handshake handshake -> assertThat(all.size()).isZero();
                default -> throw new AssertionError("no stdin");
            }
        }
    }

    // ---- exec ------------------------------------------------------------------------------------------------

    @Test
    void outputGoesToItsDescriptorsByteForByteAndTheStatusIsTheProgrammes() throws Exception {
        byte[] raw = new byte[300_000];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) (i * 31 + i / 256);
        }
        AtomicReference<String> body = new AtomicReference<>("");
        ScriptedDaemon script = serve(exchange -> {
            body.compareAndSet("", exchange.text());
            FrameChannel frames = exchange.upgrade();
            frames.write(new Frame.HandshakeAck(true, 0, 0, 0));
            for (int at = 0; at < raw.length; at += 50_000) {
                write(frames, Frame.Tag.STDOUT, Arrays.copyOfRange(raw, at, at + 50_000));
            }
            write(frames, Frame.Tag.STDERR, "oops\n");
            frames.write(new Frame.Exit(1, 7));
        });
        Ended ended = cortex("exec", "api", "--env", "A=b", "--", "prog", "", "x y");
        assertThat(ended.status()).isEqualTo(7);
        assertThat(ended.bytes()).isEqualTo(raw);
        assertThat(ended.stderr()).isEqualTo("oops\n");
        assertThat(script.seen())
                .containsExactly("POST /api/v1/sandboxes/api/stream", "GET /api/v1/sandboxes/api/egress/log?most=50");
        assertThat(body.get())
                .contains("\"argv\":[\"prog\",\"\",\"x y\"]")
                .contains("\"env\":{\"A\":\"b\"}")
                .contains("\"stdin\":false")
                .containsPattern("\"id\":\"s_[0-9a-z]{16}\"");
    }

    @Test
    void argumentsThatAreNotTextTravelByteForByte() throws Exception {
        AtomicReference<String> body = new AtomicReference<>("");
        serve(exchange -> {
            body.set(exchange.text());
            exchange.upgrade().write(SUCCESS);
        });
        String line = "exec \"$@\" prog \"$(printf 'a\\377\\376b')\"";
        CommandLine command =
                new CommandLine(home, "exec", "api", "--").inShell(line).env("LC_ALL", "C");
        assertThat(command.run().status()).isZero();
        assertThat(body.get()).contains("\"argv\":[]").contains("\"argv_b64\":[\"cHJvZw==\",\"Yf/+Yg==\"]");
    }

    @Test
    void everyCauseHasItsStatus() throws Exception {
        AtomicReference<Frame.Exit> exit = new AtomicReference<>(SUCCESS);
        serve(exchange -> {
            FrameChannel frames = exchange.upgrade();
            frames.write(exit.get());
        });
        int[][] causes = {
            {1, 0, 0}, {1, 255, 255}, {2, 15, 143}, {3, 9, 124}, {4, 127, 127}, {5, 126, 126}, {6, 9, 137}, {8, 0, 125}
        };
        for (int[] cause : causes) {
            exit.set(new Frame.Exit(cause[0], cause[1]));
            assertThat(cortex("exec", "api", "--", "prog").status()).isEqualTo(cause[2]);
        }
        exit.set(new Frame.Exit(3, 9));
        assertThat(cortex("exec", "api", "--", "prog").stderr()).contains("killed at its timeout");
    }

    @Test
    void whatArrivesTogetherWithTheUpgradeIsNotLost() throws Exception {
        serve(exchange -> {
            byte[] exit = {0, 0, 0, 5, 6, 1, 0, 0, 0, 9};
            exchange.upgrade(exit);
        });
        assertThat(cortex("exec", "api", "--", "prog").status()).isEqualTo(9);
    }

    @Test
    void stdinIsForwardedToItsEnd() throws Exception {
        byte[] content = new byte[200_001];
        Arrays.fill(content, (byte) 'x');
        Path file = Files.write(home.resolve("input"), content);
        AtomicReference<byte[]> got = new AtomicReference<>(new byte[0]);
        serve(exchange -> {
            assertThat(exchange.text()).contains("\"stdin\":true");
            FrameChannel frames = exchange.upgrade();
            got.set(stdin(frames));
            frames.write(SUCCESS);
        });
        assertThat(new CommandLine(home, "exec", "api", "--", "cat")
                        .stdin(file)
                        .run()
                        .status())
                .isZero();
        assertThat(got.get()).isEqualTo(content);
    }

    @Test
    void anOpenStdinDoesNotDelayTheEnd() throws Exception {
        serve(exchange -> exchange.upgrade().write(SUCCESS));
        Process process =
                new CommandLine(home, "exec", "api", "--", "true").openStdin().start();
        assertThat(CommandLine.end(process).status()).isZero();
    }

    @Test
    void aLostConnectionIsResumedAtItsByteAndUnacceptedStdinIsSentAgain() throws Exception {
        Path file = Files.writeString(home.resolve("input"), "0123456789");
        AtomicInteger attached = new AtomicInteger();
        AtomicReference<Frame.Handshake> handshake = new AtomicReference<>();
        AtomicReference<String> again = new AtomicReference<>("");
        serve(exchange -> {
            FrameChannel frames = exchange.upgrade();
            if (exchange.startsWith("POST ")) {
                stdin(frames);
                write(frames, Frame.Tag.STDOUT, "one ");
                exchange.channel().close();
                return;
            }
            handshake.set((Frame.Handshake) frames.read().orElseThrow());
            attached.incrementAndGet();
            frames.write(new Frame.HandshakeAck(true, 0, 4, 4));
            again.set(new String(stdin(frames), StandardCharsets.UTF_8));
            write(frames, Frame.Tag.STDOUT, "two\n");
            frames.write(SUCCESS);
        });
        Ended ended =
                new CommandLine(home, "exec", "api", "--", "cat").stdin(file).run();
        assertThat(ended.status()).isZero();
        assertThat(ended.stdout()).isEqualTo("one two\n");
        assertThat(ended.stderr())
                .contains("connection to the daemon lost, reconnecting")
                .contains("resumed at byte 4, nothing missing");
        assertThat(handshake.get().cursor()).isEqualTo(4);
        assertThat(handshake.get().mode()).isEqualTo(Frame.Mode.HOLD);
        assertThat(again.get()).isEqualTo("456789");
        assertThat(attached).hasValue(1);
    }

    @Test
    void aStartWhoseAnswerIsLostIsAskedForBeforeItIsTriedAgain() throws Exception {
        AtomicInteger started = new AtomicInteger();
        ScriptedDaemon script = serve(exchange -> {
            if (exchange.startsWith("POST ")) {
                started.incrementAndGet();
                exchange.channel().close();
            } else if (exchange.target().endsWith("/attach")) {
                FrameChannel frames = exchange.upgrade();
                frames.read();
                frames.write(new Frame.HandshakeAck(false, 0, 3, 0));
                write(frames, Frame.Tag.STDOUT, "hi\n");
                frames.write(SUCCESS);
            } else {
                exchange.json(200, "{\"id\":\"s_x\",\"state\":\"exited\"}");
            }
        });
        Ended ended = cortex("exec", "api", "--", "prog");
        assertThat(ended.stdout()).isEqualTo("hi\n");
        assertThat(ended.status()).isZero();
        assertThat(started).hasValue(1);
        assertThat(script.seen()).hasSize(3);
    }

    @Test
    void lostOutputIsReported() throws Exception {
        serve(exchange -> {
            FrameChannel frames = exchange.upgrade();
            frames.write(new Frame.Gap(1_234_567));
            frames.write(SUCCESS);
        });
        assertThat(cortex("exec", "api", "--", "prog").stderr()).contains("1,234,567 bytes of output are missing");
    }

    @Test
    void ctrlCReachesTheSessionAsSigint() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        AtomicReference<FrameChannel> stream = new AtomicReference<>();
        List<String> signals = new CopyOnWriteArrayList<>();
        serve(exchange -> {
            if (exchange.target().endsWith("/signal")) {
                signals.add(exchange.text());
                exchange.json(200, "{\"processes\":1}");
                stream.get().write(new Frame.Exit(2, 2));
                return;
            }
            stream.set(exchange.upgrade());
            write(stream.get(), Frame.Tag.STDOUT, "ready\n");
            running.countDown();
            Thread.sleep(10_000);
        });
        Process process = new CommandLine(home, "exec", "api", "--", "sleep", "9").start();
        assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
        process.getInputStream().readNBytes(6);
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        assertThat(CommandLine.end(process).status()).isEqualTo(130);
        assertThat(signals).containsExactly("{\"signal\":\"INT\",\"all\":false}");
    }

    @Test
    void aClientThatIsTerminatedLeavesItsSessionRunning() throws Exception {
        serve(exchange -> {
            assertThat(exchange.target()).doesNotContain("signal");
            write(exchange.upgrade(), Frame.Tag.STDOUT, "ready\n");
            Thread.sleep(10_000);
        });
        Process process = new CommandLine(home, "exec", "api", "--", "sleep", "9").start();
        process.getInputStream().readNBytes(6);
        process.toHandle().destroy();
        Ended ended = CommandLine.end(process);
        assertThat(ended.status()).isEqualTo(143);
        assertThat(ended.stderr()).contains("left, the session goes on: cortex attach api s_");
    }

    @Test
    void anOutputThatNobodyReadsEndsTheSessionAndTheCommand() throws Exception {
        AtomicReference<FrameChannel> stream = new AtomicReference<>();
        List<String> signals = new CopyOnWriteArrayList<>();
        serve(exchange -> {
            if (exchange.target().endsWith("/signal")) {
                signals.add(exchange.text());
                exchange.json(200, "{\"processes\":1}");
                stream.get().write(new Frame.Exit(2, 13));
                return;
            }
            stream.set(exchange.upgrade());
            while (signals.isEmpty()) {
                write(stream.get(), Frame.Tag.STDOUT, "yes\n".repeat(1000));
            }
            Thread.sleep(10_000);
        });
        Process process = new CommandLine(home, "exec", "api", "--", "yes").start();
        process.getInputStream().readNBytes(4);
        process.getInputStream().close();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(141);
        assertThat(signals.getFirst()).contains("PIPE");
    }

    @Test
    void withJsonTheOutputIsInTheEnvelope() throws Exception {
        serve(exchange -> {
            FrameChannel frames = exchange.upgrade();
            write(frames, Frame.Tag.STDOUT, "42\n");
            write(frames, Frame.Tag.STDERR, new byte[] {(byte) 0xff});
            frames.write(new Frame.Exit(1, 3));
        });
        Ended ended = cortex("exec", "api", "--json", "--", "prog");
        assertThat(ended.status()).isEqualTo(3);
        assertThat(ended.stdout())
                .startsWith("{\"schema_version\":1,\"kind\":\"exec\",\"data\":{")
                .contains("\"cause\":\"exited\",\"status\":3,\"stdout\":\"42\\n\",\"stderr_b64\":\"/w==\"")
                .endsWith("}}\n");
    }

    @Test
    void aDetachedSessionIsItsIdAlone() throws Exception {
        serve(exchange -> exchange.json(200, "{\"id\":\"s_0123456789abcdef\"}"));
        Ended ended = cortex("exec", "--detach", "api", "--", "sleep", "9");
        assertThat(ended.stdout()).isEqualTo("s_0123456789abcdef\n");
        assertThat(ended.stderr()).isEmpty();
    }

    // ---- run and create --------------------------------------------------------------------------------------

    @Test
    void runMakesASandboxWithItsFirstSessionAndAttachesOnTheSameConnection() throws Exception {
        AtomicReference<String> body = new AtomicReference<>("");
        AtomicReference<Frame.Handshake> handshake = new AtomicReference<>();
        ScriptedDaemon script = serve(exchange -> {
            if (exchange.is("POST /api/v1/sandboxes")) {
                body.set(exchange.text());
                exchange.json(201, VIEW.formatted("s_1"));
                return;
            }
            FrameChannel frames = exchange.upgrade();
            handshake.set((Frame.Handshake) frames.read().orElseThrow());
            frames.write(new Frame.HandshakeAck(true, 0, 0, 0));
            write(frames, Frame.Tag.STDOUT, "42\n");
            frames.write(SUCCESS);
        });
        Ended ended = new CommandLine(
                        home, "run", "--driver", "process", "--memory", "512M", "--timeout", "5s", "--", "prog")
                .env("CORTEX_ALLOW_INSECURE_PROCESS", "1")
                .run();
        assertThat(ended.stdout()).isEqualTo("42\n");
        assertThat(ended.status()).isZero();
        assertThat(body.get())
                .contains("\"driver\":\"process\"")
                .contains("\"memory_bytes\":536870912")
                .contains("\"allow_insecure_process\":true")
                .contains("\"remove_on_exit\":true")
                .contains("\"timeout_ms\":5000")
                .contains("\"claim\":true");
        assertThat(handshake.get().cursor()).isZero();
        assertThat(script.seen().getLast())
                .startsWith("GET /api/v1/sandboxes/sb_1/sessions/s_")
                .endsWith("/attach");
    }

    @Test
    void createSaysWhatItMade() throws Exception {
        serve(exchange -> exchange.json(201, VIEW.formatted("")));
        assertThat(cortex("create", "api").stdout())
                .matches("api {2}running {2}oci/crun {2}host@sha256:3f1c… {2}\\d+ ms\n");
    }

    @Test
    void ctrlCDuringCreateClosesTheRequestAndWaitsUntilNothingIsLeft() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicInteger lists = new AtomicInteger();
        serve(exchange -> {
            if (exchange.method().equals("POST")) {
                asked.countDown();
                ByteBuffer nothing = ByteBuffer.allocate(1);
                assertThat(exchange.channel().read(nothing)).isEqualTo(-1);
                exchange.channel().close();
                return;
            }
            boolean there = lists.incrementAndGet() < 3;
            exchange.json(200, "{\"sandboxes\":[" + (there ? VIEW.formatted("") : "") + "]}");
        });
        Process process = new CommandLine(home, "create", "api").start();
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        Ended ended = CommandLine.end(process);
        assertThat(ended.status()).isEqualTo(130);
        assertThat(ended.stderr()).contains("cancelling").contains("nothing of it is left");
        assertThat(lists).hasValue(3);
    }

    @Test
    void ctrlCThatComesJustAfterTheSandboxWasReadyRemovesItAgain() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicBoolean removed = new AtomicBoolean();
        serve(exchange -> {
            switch (exchange.method()) {
                case "POST" -> {
                    asked.countDown();
                    ByteBuffer nothing = ByteBuffer.allocate(1);
                    assertThat(exchange.channel().read(nothing)).isEqualTo(-1);
                    exchange.channel().close();
                }
                case "DELETE" -> {
                    removed.set(true);
                    exchange.json(200, "{}");
                }
                default -> exchange.json(200, "{\"sandboxes\":[" + (removed.get() ? "" : VIEW.formatted("")) + "]}");
            }
        });
        Process process = new CommandLine(home, "create", "api").start();
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        Ended ended = CommandLine.end(process);
        assertThat(ended.status()).isEqualTo(130);
        assertThat(ended.stderr()).contains("removed again");
        assertThat(removed).isTrue();
    }

    // ---- errors ----------------------------------------------------------------------------------------------

    @Test
    void anErrorSaysWhatHappenedAndTheNextCommand() throws Exception {
        serve(exchange -> exchange.problem(409, "ALREADY_EXISTS", "the name api is taken", "use another name"));
        Ended ended = cortex("create", "api");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.stdout()).isEmpty();
        assertThat(ended.stderr()).isEqualTo("cortex: the name api is taken\n  use another name\n");
        assertThat(cortex("exec", "api", "--", "x").status()).isEqualTo(125);
    }

    @Test
    void withJsonAnErrorIsAnEnvelopeOnStdout() throws Exception {
        serve(exchange -> exchange.problem(404, "NOT_FOUND", "there is no sandbox nobody", "see: cortex ls"));
        Ended ended = cortex("inspect", "nobody", "--json");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.stderr()).isEmpty();
        assertThat(ended.stdout())
                .isEqualTo("{\"schema_version\":1,\"kind\":\"error\",\"error\":{\"code\":\"NOT_FOUND\","
                        + "\"message\":\"there is no sandbox nobody\",\"remedy\":\"see: cortex ls\"}}\n");
        Ended misused = cortex("inspect", "--json");
        assertThat(misused.status()).isEqualTo(2);
        assertThat(misused.stdout()).contains("INVALID_ARGUMENT");
    }

    @Test
    void aMisusedCommandLineIsTwoAndOneThatRunsAProgrammeHundredTwentyFive() throws Exception {
        assertThat(cortex("cerate").status()).isEqualTo(2);
        assertThat(cortex("run").status()).isEqualTo(125);
        assertThat(cortex("exec").status()).isEqualTo(125);
        assertThat(cortex("ls", "--bogus").status()).isEqualTo(2);
    }

    @Test
    void aSettingThatIsMistypedIsAnsweredByTheNearest() throws Exception {
        assertThat(cortex("config", "get", "limits.memry").stderr()).contains("did you mean: limits.memory");
    }

    @Test
    void aCompletionScriptHasAnEnvelopeToo() throws Exception {
        assertThat(cortex("completion", "bash", "--json").stdout())
                .startsWith("{\"schema_version\":1,\"kind\":\"completion\",\"data\":{\"text\":\"")
                .endsWith("}}\n");
    }

    @Test
    void whatIsMissingIsNamedWithItsFixAndInstalledOnlyWhenAgreed() throws Exception {
        Path mark = home.resolve("installed");
        String readiness = """
                {"auto":"","drivers":[{"driver":"oci","runtime":"crun","state":"missing","note":"","chosen":false,\
                "missing":[{"what":"crun","fix":"touch %s; echo done","fixable":true}]}]}""".formatted(mark);
        serve(exchange -> {
            if (exchange.target().endsWith("/readiness")) {
                exchange.json(200, readiness);
            } else if (Files.exists(mark)) {
                exchange.json(201, VIEW.formatted(""));
            } else {
                exchange.problem(503, "NOT_READY", "crun is missing", "touch it");
            }
        });
        Ended refused = cortex("run", "--", "true");
        assertThat(refused.status()).isEqualTo(125);
        assertThat(refused.stderr())
                .isEqualTo("cortex: not ready: crun is missing\n  fix: touch " + mark
                        + "; echo done        (or run again with --yes)\n");
        assertThat(mark).doesNotExist();
        Ended agreed = cortex("create", "api", "--yes");
        assertThat(agreed.status()).isZero();
        assertThat(agreed.stdout()).startsWith("api  running");
        assertThat(agreed.stderr()).contains("crun is missing, running: touch").contains("done\n");
    }

    @Test
    void aDaemonOfAnotherVersionIsNoticed() throws Exception {
        Path install = Files.createDirectories(home.resolve("install"));
        Files.writeString(install.resolve("version"), "20260101-aaaa\n");
        serve(exchange -> exchange.write(
                "HTTP/1.1 200 OK\r\nCortex-Version: 20260202-bbbb\r\nContent-Length: 16\r\n\r\n{\"sandboxes\":[]}"));
        Ended ended = new CommandLine(home, "ls")
                .option("-Dcortex.install=" + install)
                .run();
        assertThat(ended.status()).isZero();
        assertThat(ended.stderr()).contains("the daemon is version 20260202-bbbb, this command 20260101-aaaa");
        Ended again = new CommandLine(home, "ls")
                .option("-Dcortex.install=" + install)
                .run();
        assertThat(again.status()).isZero();
        assertThat(again.stderr()).as("told once").isEmpty();
    }

    @Test
    void whoSaidYesIsNotToldToSayYes() throws Exception {
        serve(exchange -> {
            if (exchange.target().endsWith("/readiness")) {
                exchange.json(200, """
                {"auto":"","drivers":[{"driver":"oci","runtime":"crun","state":"missing","note":"","chosen":false,\
                "missing":[{"what":"crun","fix":"touch it","fixable":true}]}]}""");
            } else {
                exchange.problem(503, "NOT_READY", "crun is missing", "touch it");
            }
        });
        Ended told = new CommandLine(home, "run", "--yes", "--", "true")
                .option("-Dcortex.asked=true")
                .run();
        assertThat(told.status()).isEqualTo(125);
        assertThat(told.stderr()).isEqualTo("cortex: not ready: crun is missing\n  fix: touch it\n");
        Ended json = new CommandLine(home, "run", "--yes", "--json", "--", "true")
                .option("-Dcortex.asked=true")
                .run();
        assertThat(json.stdout()).contains("\"remedy\":\"touch it\"");
    }

    // ---- lists and sessions ----------------------------------------------------------------------------------

    @Test
    void aListIsATableAndItsPagesAreOne() throws Exception {
        ScriptedDaemon script = serve(exchange -> {
            String next = exchange.target().contains("after=api") ? "" : ",\"next\":\"api\"";
            exchange.json(200, "{\"sandboxes\":[" + VIEW.formatted("") + "],\"disks\":[]" + next + "}");
        });
        Ended ended = cortex("ls");
        assertThat(ended.stdout().lines())
                .hasSize(3)
                .first()
                .isEqualTo("NAME  STATE    DRIVER    AGE   SESSIONS  MEMORY     DISK  WHY");
        assertThat(ended.stdout()).contains("212M / 2G").doesNotContain("\u001b");
        assertThat(script.seen()).hasSize(2);
    }

    @Test
    void logsStopAtNowAndGiveTheLastLines() throws Exception {
        serve(exchange -> {
            if (exchange.target().endsWith("/sessions")) {
                exchange.json(200, "{\"sessions\":[{\"id\":\"s_1\"},{\"id\":\"s_2\"}]}");
                return;
            }
            assertThat(exchange.target()).contains("/s_2/attach");
            FrameChannel frames = exchange.upgrade();
            assertThat(((Frame.Handshake) frames.read().orElseThrow()).mode()).isEqualTo(Frame.Mode.OBSERVE);
            frames.write(new Frame.HandshakeAck(true, 0, 12, 0));
            write(frames, Frame.Tag.STDOUT, "one\ntwo\n");
            write(frames, Frame.Tag.STDOUT, "tri\n");
            Thread.sleep(10_000);
        });
        assertThat(cortex("logs", "api").stdout()).isEqualTo("one\ntwo\ntri\n");
        assertThat(cortex("logs", "api", "--tail", "2").stdout()).isEqualTo("two\ntri\n");
    }

    @Test
    void versionStartsNoDaemon() throws Exception {
        Ended ended = cortex("version");
        assertThat(ended.status()).isZero();
        assertThat(ended.stdout()).startsWith("cortex ");
    }

    // ---- files -----------------------------------------------------------------------------------------------

    @Test
    void aFileIsUploadedWithItsModeIntoAFolder() throws Exception {
        Path file = Files.writeString(home.resolve("data.csv"), "a,b\n".repeat(50_000));
        AtomicReference<String> target = new AtomicReference<>("");
        AtomicReference<byte[]> got = new AtomicReference<>(new byte[0]);
        serve(exchange -> {
            if (exchange.method().equals("GET")) {
                exchange.json(200, "{\"type\":\"directory\"}");
                return;
            }
            target.set(exchange.target());
            got.set(exchange.upload());
            exchange.json(200, "{\"type\":\"file\"}");
        });
        assertThat(cortex("cp", file.toString(), "api:").status()).isZero();
        assertThat(target.get()).startsWith("/api/v1/sandboxes/api/files?path=./data.csv&mode=6");
        assertThat(got.get()).isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void aNameThatIsNotTextTravelsByteForByteBothWays() throws Exception {
        AtomicReference<String> target = new AtomicReference<>("");
        serve(exchange -> {
            if (exchange.target().contains("/files/stat")) {
                exchange.json(
                        200,
                        exchange.target().contains("path=.")
                                ? "{\"type\":\"directory\"}"
                                : "{\"type\":\"file\",\"size\":2,\"mode\":420}");
            } else if (exchange.method().equals("PUT")) {
                target.set(exchange.target());
                assertThat(exchange.upload()).hasSize(2);
                exchange.json(200, "{}");
            } else {
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup");
            }
        });
        String name = "name=$(printf 'x\\377'); printf hi >\"$name\"; \"$@\" cp \"$name\" api: && rm \"$name\" && ";
        String line = name + "\"$@\" cp api:\"$name\" . && cat \"$name\"";
        Ended ended = new CommandLine(home).inShell(line).in(home).run();
        assertThat(ended.stderr()).isEmpty();
        assertThat(ended.stdout()).isEqualTo("up");
        assertThat(target.get()).contains("path_b64=Li94/w%3D%3D");
    }

    @Test
    void aRefusedUploadSaysWhyBeforeAnythingIsSent() throws Exception {
        Path file = Files.writeString(home.resolve("x"), "x");
        serve(exchange -> {
            if (exchange.method().equals("GET")) {
                exchange.json(200, "{\"type\":\"file\"}");
            } else {
                exchange.problem(403, "DENIED", "you may not write there", "as root: --user root");
            }
        });
        Ended ended = cortex("cp", file.toString(), "api:/etc/x");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.stderr()).contains("you may not write there").contains("--user root");
    }

    @Test
    void aDownloadAppearsWholeOrNotAtAll() throws Exception {
        Path target = Files.writeString(home.resolve("result"), "old");
        AtomicInteger length = new AtomicInteger(4);
        serve(exchange -> {
            if (exchange.target().contains("/files/stat")) {
                exchange.json(200, "{\"type\":\"file\",\"size\":4,\"mode\":416}");
                return;
            }
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: " + length.get() + "\r\n\r\nnew\n");
            exchange.channel().close();
        });
        length.set(9);
        Ended broken = cortex("cp", "api:result", target.toString());
        assertThat(broken.status()).isEqualTo(1);
        assertThat(Files.readString(target)).isEqualTo("old");
        length.set(4);
        assertThat(cortex("cp", "api:result", target.toString()).status()).isZero();
        assertThat(Files.readString(target)).isEqualTo("new\n");
        assertThat((int) Files.getAttribute(target, "unix:mode") & 0777).isEqualTo(0640);
        try (var names = Files.list(home)) {
            assertThat(names.map(path -> path.getFileName().toString())).noneMatch(name -> name.startsWith(".cortex-"));
        }
    }

    @Test
    void stdinBecomesAFileAndAFileBecomesStdout() throws Exception {
        AtomicReference<byte[]> got = new AtomicReference<>(new byte[0]);
        serve(exchange -> {
            if (exchange.target().contains("/files/stat")) {
                exchange.json(
                        got.get().length == 0 ? 404 : 200,
                        got.get().length == 0
                                ? "{\"code\":\"NOT_FOUND\",\"message\":\"no\"}"
                                : "{\"type\":\"file\",\"size\":5,\"mode\":420}");
            } else if (exchange.method().equals("PUT")) {
                got.set(exchange.upload());
                exchange.json(200, "{}");
            } else if (exchange.target().contains("/files?")) {
                exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
            } else {
                exchange.json(200, VIEW.formatted(""));
            }
        });
        Path file = Files.writeString(home.resolve("in"), "hello");
        assertThat(new CommandLine(home, "cp", "-", "api:note")
                        .stdin(file)
                        .run()
                        .status())
                .isZero();
        assertThat(new String(got.get(), StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(cortex("cp", "api:note", "-").stdout()).isEqualTo("hello");
        assertThat(cortex("cp", "api:note", "-", "--json").stdout()).isEqualTo("hello");
    }
}
