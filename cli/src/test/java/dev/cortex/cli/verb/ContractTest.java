package dev.cortex.cli.verb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.Parser;
import dev.cortex.cli.command.Verb;
import dev.cortex.cli.command.Verbs;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.session.SessionRequest;
import dev.cortex.cli.settings.Settings;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Files;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.SessionView;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Holds what is written for people against the table of operations and its records, which this module reads by name. */
final class ContractTest {
    private static final Map<Operation<?, ?>, String> VERBS = Map.ofEntries(
            Map.entry(Operations.HEALTH, "version"),
            Map.entry(Operations.READINESS, "run"),
            Map.entry(Operations.CREATE, "create"),
            Map.entry(Operations.LIST, "ls"),
            Map.entry(Operations.INSPECT, "inspect"),
            Map.entry(Operations.START, "start"),
            Map.entry(Operations.STOP, "stop"),
            Map.entry(Operations.PAUSE, "pause"),
            Map.entry(Operations.RESUME, "resume"),
            Map.entry(Operations.RESET, "reset"),
            Map.entry(Operations.REMOVE, "rm"),
            Map.entry(Operations.SESSION_START, "exec"),
            Map.entry(Operations.SESSION_STREAM, "exec"),
            Map.entry(Operations.SESSION_LIST, "sessions"),
            Map.entry(Operations.USAGE, "usage"),
            Map.entry(Operations.SESSION_STATUS, "sessions"),
            Map.entry(Operations.SESSION_SIGNAL, "sessions"),
            Map.entry(Operations.SESSION_REMOVE, "sessions"),
            Map.entry(Operations.SESSION_OUTPUT, "logs"),
            Map.entry(Operations.SESSION_ATTACH, "attach"),
            Map.entry(Operations.PRUNE, "prune"),
            Map.entry(Operations.FORWARD, "forward"),
            Map.entry(Operations.FILE_WATCH, "watch"),
            Map.entry(Operations.WORKSPACE_CHANGES, "diff"),
            Map.entry(Operations.WORKSPACE_DIFF, "diff"),
            Map.entry(Operations.WORKSPACE_APPLY, "apply"),
            Map.entry(Operations.EGRESS_GET, "egress"),
            Map.entry(Operations.EGRESS_SET, "egress"),
            Map.entry(Operations.EGRESS_LOG, "egress"),
            Map.entry(Operations.EGRESS_FOLLOW, "egress"),
            Map.entry(Operations.FILE_READ, "cp"),
            Map.entry(Operations.FILE_WRITE, "cp"),
            Map.entry(Operations.ARCHIVE_READ, "cp"),
            Map.entry(Operations.ARCHIVE_WRITE, "cp"),
            Map.entry(Operations.FILE_STAT, "cp"),
            Map.entry(Operations.FILE_MKDIR, "cp"),
            Map.entry(Operations.IMAGE_IMPORT, "image"),
            Map.entry(Operations.IMAGE_UPLOAD, "image"),
            Map.entry(Operations.IMAGE_LIST, "image"),
            Map.entry(Operations.IMAGE_INSPECT, "image"),
            Map.entry(Operations.IMAGE_REMOVE, "image"),
            Map.entry(Operations.IMAGE_IMPORTS, "image"));

    /** For programs: a person has {@code cortex exec NAME -- ls}, {@code mv} or {@code rm}, and {@code logs --follow}. */
    private static final Set<Operation<?, ?>> FOR_PROGRAMS = Set.of(
            Operations.EVENTS,
            Operations.EXEC,
            Operations.FILE_LIST,
            Operations.FILE_MOVE,
            Operations.FILE_REMOVE,
            Operations.FILE_RESOLVE);

    /** What the verbs read of each answer. */
    private static final Map<Class<?>, List<String>> READ = Map.of(
            SandboxView.class,
            List.of(
                    "id",
                    "name",
                    "state",
                    "reason",
                    "driver",
                    "runtime",
                    "image",
                    "image_digest",
                    "user",
                    "workdir",
                    "limits",
                    "labels",
                    "primary",
                    "created_at",
                    "started_at",
                    "stopped_at",
                    "usage",
                    "disk"),
            SandboxView.LimitsView.class,
            List.of("memory_bytes", "cpus", "processes", "disk_bytes"),
            SandboxView.UsageView.class,
            List.of("memory_bytes", "processes", "sessions_running", "sessions_started", "neuron"),
            SandboxView.DiskView.class,
            List.of("path", "bytes"),
            SessionView.class,
            List.of(
                    "id",
                    "state",
                    "argv",
                    "user",
                    "label",
                    "terminal",
                    "held",
                    "started_at",
                    "newest",
                    "status",
                    "cause"),
            Lifecycle.KeptDisk.class,
            List.of("name", "driver", "bytes"),
            Lifecycle.Removed.class,
            List.of("name", "disk_kept", "left"),
            Files.Entry.class,
            List.of("type", "size", "mode"),
            Daemon.Missing.class,
            List.of("what", "fix", "fixable"),
            Daemon.DriverReadiness.class,
            List.of("driver", "runtime", "state", "missing"));

    private static final JsonSetter.Value EMPTY = JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);

    private static final JsonMapper DAEMON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .withConfigOverride(List.class, config -> config.setNullHandling(EMPTY))
            .withConfigOverride(Map.class, config -> config.setNullHandling(EMPTY))
            .build();

    @TempDir
    Path temp;

    @Test
    void everyOperationIsAVerbsOrSaysWhyNot() {
        for (Operation<?, ?> operation : Operations.all()) {
            boolean verb = VERBS.containsKey(operation);
            assertThat(verb ^ FOR_PROGRAMS.contains(operation))
                    .as(operation.name())
                    .isTrue();
        }
        Set<String> names = new HashSet<>();
        for (Verb verb : Verbs.all()) {
            names.add(verb.name());
        }
        assertThat(names).containsAll(VERBS.values());
    }

    @Test
    void everyNameThatIsReadIsInTheRecord() {
        READ.forEach((record, read) -> {
            List<String> components = new ArrayList<>();
            for (RecordComponent component : record.getRecordComponents()) {
                components.add(snakeCase(component.getName()));
            }
            assertThat(components).as(record.getSimpleName()).containsAll(read);
        });
    }

    @Test
    void whatStartsASessionIsTheRecordOfTheOperation() throws Exception {
        Invocation invocation = parse(
                "exec",
                "api",
                "--env",
                "A=b=c",
                "--workdir",
                "/w",
                "--user",
                "root",
                "--timeout",
                "5s",
                "--background",
                "--label",
                "mine",
                "--",
                "prog",
                "");
        Json json = SessionRequest.of(
                invocation,
                "s_0123456789abcdef",
                invocation.command(),
                Optional.of(new RawTerminal.Size(30, 100)),
                true,
                true);
        StartSession request = DAEMON.readValue(JsonText.write(json), StartSession.class);
        assertThat(request.id()).contains("s_0123456789abcdef");
        assertThat(request.argv()).containsExactly("prog", "");
        assertThat(request.env()).containsEntry("A", "b=c");
        assertThat(request.cwd()).contains("/w");
        assertThat(request.user()).contains("root");
        assertThat(request.timeoutMs()).contains(5_000L);
        assertThat(request.terminal().orElseThrow().rows()).isEqualTo(30);
        assertThat(request.stdin()).contains(true);
        assertThat(request.claim()).contains(true);
        assertThat(request.background()).contains(true);
        assertThat(request.label()).contains("mine");
    }

    @Test
    void whatIsNoTextTravelsInItsOwnField() throws Exception {
        Word raw = Word.of(new byte[] {'a', (byte) 0xff});
        Word pair = Word.of(new byte[] {'K', '=', (byte) 0xfe});
        Invocation invocation = Parser.parse(List.of(
                Word.of("exec"), Word.of("api"), Word.of("--env"), pair, Word.of("-w"), raw, Word.of("--"), raw));
        Json json = SessionRequest.of(invocation, "s_1", invocation.command(), Optional.empty(), false, false);
        StartSession request = DAEMON.readValue(JsonText.write(json), StartSession.class);
        assertThat(request.argv()).isEmpty();
        assertThat(request.argvB64()).containsExactly("Yf8=");
        assertThat(request.envB64()).containsExactly("Sz3+");
        assertThat(request.cwdB64()).contains("Yf8=");
    }

    @Test
    void whatMakesASandboxIsTheRecordOfTheOperation() throws Exception {
        Invocation invocation = parse(
                "create",
                "api",
                "--image",
                "/r",
                "--driver",
                "oci/crun",
                "--memory",
                "1G",
                "--cpus",
                "2",
                "--pids",
                "7",
                "--disk",
                "3G",
                "--user",
                "u",
                "--workdir",
                "/w");
        Home home = new Home(temp, temp);
        Settings settings = Settings.resolve(invocation, new Settings.Surroundings(name -> "", temp, home));
        Json.Building json = Json.object();
        settings.apply(json, true);
        json.put("env", settings.environment(List.of(Word.of("A=b"))))
                .put("labels", Json.object().build());
        json.put("remove_on_exit", true)
                .put("allow_insecure_process", true)
                .put("wipe", true)
                .put("start", false);
        CreateSandbox request =
                DAEMON.readValue(JsonText.write(json.put("name", "api").build()), CreateSandbox.class);
        assertThat(request.name()).contains("api");
        assertThat(request.image()).contains("/r");
        assertThat(request.driver()).contains("oci");
        assertThat(request.runtime()).contains("crun");
        assertThat(request.memoryBytes()).contains(1L << 30);
        assertThat(request.cpus()).contains(2.0);
        assertThat(request.processes()).contains(7L);
        assertThat(request.diskBytes()).contains(3L << 30);
        assertThat(request.user()).contains("u");
        assertThat(request.workdir()).contains("/w");
        assertThat(request.env()).containsEntry("A", "b");
        assertThat(request.start()).contains(false);
    }

    private static String snakeCase(String name) {
        StringBuilder snake = new StringBuilder();
        for (char c : name.toCharArray()) {
            snake.append(Character.isUpperCase(c) ? "_" : "").append(Character.toLowerCase(c));
        }
        return snake.toString();
    }

    private static Invocation parse(String... words) throws Exception {
        List<Word> all = new ArrayList<>();
        for (String word : words) {
            all.add(Word.of(word));
        }
        return Parser.parse(all);
    }
}
