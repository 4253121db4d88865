package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Exec;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.SessionView;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole engine over real neurons, by each real driver. Needs root and crun for {@code oci}. */
class EngineIT {
    private TestHome home;

    @BeforeEach
    void open() throws Exception {
        home = new TestHome(spares());
    }

    /** So many are started ahead. */
    int spares() {
        return 0;
    }

    @AfterEach
    void close() throws Exception {
        home.close();
    }

    private static CreateSandbox on(String driver) {
        return CreateSandbox.defaults().on(driver).allowingInsecureProcess();
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void aSandboxLivesFromCreateToRemove(String driver) throws Exception {
        Cortex cortex = home.open();
        Sandbox sandbox = cortex.create(on(driver).named("api"));
        SandboxView view = sandbox.inspect();
        assertThat(view.state()).isEqualTo("running");
        assertThat(view.usage()).isPresent();
        assertThat(sandbox.exec("pwd").stdout()).contains(view.workdir() + "\n");
        assertThat(sandbox.exec("sh", "-c", "id -un").stdout().orElseThrow().strip())
                .isEqualTo(view.user());

        sandbox.writeFile("kept.txt", "kept".getBytes(StandardCharsets.UTF_8));
        String logged = sandbox.exec("echo", "logged").session();
        assertThat(sandbox.stop().state()).isEqualTo("stopped");
        assertThat(cortex.sandboxes().sessions().output("api", logged, 0).stdout())
                .asString()
                .isEqualTo("logged\n");
        assertThat(sandbox.start().state()).isEqualTo("running");
        assertThat(sandbox.readFile("kept.txt")).asString().isEqualTo("kept");

        assertThat(sandbox.remove(false).left()).isEmpty();
        Sandbox again = cortex.create(on(driver).named("api"));
        assertThat(again.readFile("kept.txt"))
                .as("the disk belongs to the name")
                .asString()
                .isEqualTo("kept");
        assertThat(again.remove(true).left()).isEmpty();
        assertThat(leftOver(cortex)).isEmpty();
    }

    private static SessionView start(Cortex cortex, String sandbox, String... argv) {
        return cortex.call(
                Operations.SESSION_START, Map.of("sandbox", sandbox), Map.of(), Optional.of(StartSession.of(argv)));
    }

    /** Beside what is kept ahead. */
    private List<Path> leftOver(Cortex cortex) throws Exception {
        List<Path> left = new java.util.ArrayList<>();
        for (String folder : List.of("disks", "sandboxes")) {
            try (var all = Files.list(home.home().folder().resolve(folder))) {
                all.forEach(left::add);
            }
        }
        cortex.sandboxes()
                .spares()
                .rows()
                .forEach(spare -> left.removeIf(path -> path.endsWith(spare.id().value())));
        return left;
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void sessionsGoOnWhileNoDaemonRuns(String driver) throws Exception {
        Cortex cortex = home.open();
        Sandbox sandbox = cortex.create(on(driver).named("api"));
        SessionView counter =
                start(cortex, "api", "sh", "-c", "i=0; while [ $i -lt 300 ]; do echo $i; i=$((i+1)); sleep 0.01; done");
        Cortex next = home.reopen();
        assertThat(next.sandboxes().find("api").state()).isEqualTo(State.RUNNING);
        var ended = next.sandboxes().sessions().status("api", counter.id(), Duration.ofSeconds(60));
        assertThat(ended.code()).isZero();
        String expected =
                String.join("", IntStream.range(0, 300).mapToObj(i -> i + "\n").toList());
        assertThat(next.sandboxes().sessions().output("api", counter.id(), 0).stdout())
                .asString()
                .isEqualTo(expected);
        assertThat(next.sandbox("api").id()).isEqualTo(sandbox.id());
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void aDeathIsNoticed(String driver) throws Exception {
        Cortex cortex = home.open();
        Sandbox sandbox = cortex.create(on(driver).named("api"));
        Path pidFile =
                home.home().folder().resolve("sandboxes").resolve(sandbox.id()).resolve("pid");
        if (!Files.exists(pidFile)) {
            pidFile = home.home().runFolder().resolve(sandbox.id()).resolve("pid");
        }
        long pid = Long.parseLong(Files.readString(pidFile).strip());
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (cortex.sandboxes().find("api").state() == State.RUNNING) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
        assertThat(cortex.sandboxes().find("api").reason()).startsWith("memory_lost");
        assertThat(sandbox.start().state()).isEqualTo("running");
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void aCreateThatIsCancelledLeavesNothingWheneverThatIs(String driver) throws Exception {
        Cortex cortex = home.open();
        cortex.create(on(driver).named("warm")).remove(true);
        for (int delay = 0; delay < 60; delay += 3) {
            CompletableFuture<Optional<CortexException>> end = new CompletableFuture<>();
            Thread creating = Thread.ofVirtual().start(() -> {
                try {
                    cortex.create(on(driver).named("api"));
                    end.complete(Optional.empty());
                } catch (CortexException e) {
                    end.complete(Optional.of(e));
                } catch (RuntimeException e) {
                    end.completeExceptionally(e);
                }
            });
            Thread.sleep(delay);
            creating.interrupt();
            Optional<CortexException> refused = end.get(60, TimeUnit.SECONDS);
            if (refused.isPresent()) {
                assertThat(refused.get().code()).isEqualTo(ErrorCode.CANCELLED);
                assertThat(cortex.sandboxes().list("", 9)).isEmpty();
            } else {
                cortex.sandbox("api").remove(true);
            }
            assertThat(leftOver(cortex)).isEmpty();
            assertThat(home.processes()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void twentySandboxesAreMadeAndRecoveredAtOnce(String driver) throws Exception {
        Cortex cortex = home.open();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var made = IntStream.range(0, 20)
                    .mapToObj(i -> threads.submit(
                            () -> cortex.create(on(driver).named("n" + i)).id()))
                    .toList();
            for (var one : made) {
                one.get();
            }
        }
        Cortex next = home.reopen();
        for (int i = 0; i < 20; i++) {
            assertThat(next.sandbox("n" + i).exec("echo", "here").stdout()).contains("here\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"process", "oci"})
    void aRunIsGoneAfterItsCommand(String driver) throws Exception {
        Cortex cortex = home.open();
        CreateSandbox request = on(driver).running(StartSession.of("sh", "-c", "exit 5"));
        SandboxView made = ((Handler.Json<CreateSandbox, SandboxView>) cortex.handler(Operations.CREATE))
                .handle(new Call<>(Map.of(), Map.of(), Optional.of(request), Optional.of("key-1")));
        assertThat(made.removeOnExit()).isTrue();
        var ended = cortex.sandboxes().sessions().status(made.id(), made.primary(), Duration.ofSeconds(30));
        assertThat(ended.code()).isEqualTo(5);
    }

    @Test
    void theSameCreateTwiceUnderOneKeyIsOneSandbox() {
        Cortex cortex = home.open();
        Handler.Json<CreateSandbox, SandboxView> create =
                (Handler.Json<CreateSandbox, SandboxView>) cortex.handler(Operations.CREATE);
        var call = new Call<>(Map.of(), Map.of(), Optional.of(on("process")), Optional.of("key-1"));
        assertThat(create.handle(call).id()).isEqualTo(create.handle(call).id());
        assertThat(cortex.sandboxes().list("", 10)).hasSize(1);
        var other = new Call<>(Map.of(), Map.of(), Optional.of(on("process").named("x")), Optional.of("key-1"));
        CortexException e = catchThrowableOfType(CortexException.class, () -> create.handle(other));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void argumentsArriveByteForByteAndTooLongOnesAreRefused() {
        Cortex cortex = home.open();
        Sandbox sandbox = cortex.create(on("process"));
        Exec.Result longest = sandbox.exec("sh", "-c", "echo ${#1} ${#2}", "sh", "", "x".repeat(131_071));
        assertThat(longest.stdout()).contains("0 131071\n");
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> sandbox.exec("true", "x".repeat(131_072)));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(sandbox.exec("no-such-program").status()).contains(127);
    }

    @Test
    void pagesOfNamesThatAreNotTextLoseNothing() {
        Cortex cortex = home.open();
        Sandbox sandbox = cortex.create(on("process"));
        sandbox.exec("sh", "-c", "mkdir d; for n in a b c; do : > d/$n; : > \"d/$n$(printf '\\377')\"; done");
        List<String> seen = new java.util.ArrayList<>();
        Optional<String> after = Optional.of("");
        for (int pages = 0; after.isPresent() && pages < 10; pages++) {
            var listing = cortex.call(
                    Operations.FILE_LIST,
                    Map.of("sandbox", sandbox.id()),
                    Map.of("path", "d", "most", "2", "after", after.get()),
                    Optional.<Void>empty());
            listing.entries()
                    .forEach(entry -> seen.add(entry.path().or(entry::pathB64).orElseThrow()));
            after = listing.next();
        }
        assertThat(seen).doesNotHaveDuplicates().hasSize(6);
    }

    @Test
    void everyOperationHasAHandler() {
        home.open().requireComplete();
    }

    @Test
    void aHomeHasOneOwner() {
        home.open();
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> Cortex.open(CortexOptions.at(home.home())));
        assertThat(e.code()).isEqualTo(ErrorCode.OWNED_ELSEWHERE);
    }

    @Test
    void oneHundredExecsGiveOneHundredStatuses() {
        Sandbox sandbox = home.open().create(on("process"));
        for (int i = 0; i < 100; i++) {
            assertThat(sandbox.exec("sh", "-c", "exit " + i).status()).contains(i);
        }
    }
}
