package dev.cortex.testkit.perimeter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.perimeter.Decision.Verdict;
import dev.cortex.sandbox.perimeter.DecisionLogFile;
import dev.cortex.sandbox.perimeter.Outlet;
import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.sandbox.terms.Egress;
import dev.cortex.testkit.perimeter.AskingGuest.Asked;
import dev.cortex.testkit.perimeter.AskingGuest.Line;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every perimeter keeps to, whatever a guest asks. */
public abstract class PerimeterContract {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final SandboxId API = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");
    private static final SandboxId OTHER = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1aj");

    @TempDir
    Path folder;

    private final Map<String, List<String>> names = new ConcurrentHashMap<>();
    private final AtomicInteger lookups = new AtomicInteger();
    private final AskingGuest guest = new AskingGuest();
    private final List<Decision> announced = new CopyOnWriteArrayList<>();
    private final List<Thread> attending = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Perimeter perimeter;
    private ServerSocket server;
    private int port;

    /** Addresses of names, for a perimeter that is told to ask here. */
    @FunctionalInterface
    public interface Names {
        /** @return none: there is no such name */
        List<InetAddress> of(String name);
    }

    protected abstract Perimeter perimeter(Names names);

    @BeforeEach
    final void begin() throws IOException {
        perimeter = perimeter(name -> {
            lookups.incrementAndGet();
            return names.getOrDefault(name, List.of()).stream()
                    .map(InetAddress::ofLiteral)
                    .toList();
        });
        server = new ServerSocket(0, 500, InetAddress.ofLiteral("127.0.0.1"));
        port = server.getLocalPort();
        names.put("here.test", List.of("127.0.0.1"));
    }

    @AfterEach
    final void end() throws Exception {
        guest.leave();
        for (AutoCloseable resource : open) {
            resource.close();
        }
        server.close();
        for (Thread thread : attending) {
            thread.join(SOON);
            assertThat(thread.isAlive()).as("the perimeter lets go").isFalse();
        }
        perimeter.close();
    }

    private void attend(String... rules) {
        attend(API, guest, rules);
    }

    private void attend(SandboxId sandbox, AskingGuest asking, String... rules) {
        try {
            Path own = Files.createDirectories(folder.resolve(sandbox.value()));
            Outlet outlet = new Outlet(
                    new DecisionLogFile(sandbox, own), "api", () -> new Egress(List.of(rules)), asking, announced::add);
            attending.add(Thread.ofVirtual().start(() -> perimeter.attend(outlet)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Decision> decisions() {
        return perimeter.decisions(new DecisionLogFile(API, folder.resolve(API.value())), 10_000);
    }

    /** Answers each connection by so many bytes as it got, once the program has ended. */
    private void serveCounts() {
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    Thread.ofVirtual().start(() -> count(socket));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    private static void count(Socket socket) {
        try (socket) {
            byte[] got = socket.getInputStream().readAllBytes();
            socket.getOutputStream().write((got.length + " bytes").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The test has cut it.
        }
    }

    private Socket accept() throws IOException {
        server.setSoTimeout((int) SOON.toMillis());
        Socket socket = server.accept();
        open.add(socket);
        return socket;
    }

    private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it happens soon").isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void whatNoRuleAllowsIsDeniedWithItsNameAndTheCommandThatWouldAllowIt() {
        attend("other.test");
        CortexException web = guest.ask("PyPI.example.", 443).refusal();
        assertThat(web.code()).isEqualTo(ErrorCode.DENIED);
        assertThat(web).hasMessage("pypi.example is not allowed");
        assertThat(web.remedy()).contains("cortex egress set api --allow-host pypi.example");
        CortexException elsewhere = guest.ask("other.test", 22).refusal();
        assertThat(elsewhere).hasMessage("other.test:22 is not allowed");
        assertThat(elsewhere.remedy()).contains("cortex egress set api --allow-host other.test:22");
        assertThat(lookups).as("a denied name is not even looked up").hasValue(0);
    }

    @Test
    void everyDecisionIsWrittenDownAndAnnounced() throws Exception {
        attend("here.test:" + port + "@private");
        serveCounts();
        BlockingQueue<Decision> followed = new LinkedBlockingQueue<>();
        open.add(perimeter.follow(API, followed::add));
        guest.ask("pypi.example", 443).refusal();
        Line line = guest.ask("here.test", port).line();
        line.endSaying();
        line.hear();
        await(() -> decisions().size() == 2);
        Decision denied = decisions().getFirst();
        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(denied.host()).isEqualTo("pypi.example");
        assertThat(denied.port()).isEqualTo(443);
        assertThat(denied.reason()).isEqualTo("no rule (default deny)");
        assertThat(denied.remedy()).isEqualTo("cortex egress set api --allow-host pypi.example");
        assertThat(denied.program()).isEqualTo("pip");
        assertThat(denied.session()).isEqualTo("s_7f");
        Decision allowed = decisions().getLast();
        assertThat(allowed.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(allowed.rule()).isEqualTo("here.test:" + port + "@private");
        assertThat(announced).containsExactly(denied, allowed);
        assertThat(followed.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(denied);
        assertThat(followed.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(allowed);

        assertThat(perimeter.totals().decisions())
                .containsEntry(Verdict.DENY, 1L)
                .containsEntry(Verdict.ALLOW, 1L)
                .doesNotContainKey(Verdict.CUT);
        await(() -> perimeter.totals().open() == 0);
        assertThat(perimeter.totals().inBytes()).isPositive();
    }

    @Test
    void anAllowedConnectionCarriesBytesBothWaysAndEndsInHalves() throws Exception {
        attend("here.test:" + port + "@private");
        serveCounts();
        Line line = guest.ask("here.test", port).line();
        String piece = "x".repeat(100_000);
        for (int i = 0; i < 20; i++) {
            line.say(piece);
        }
        line.endSaying();
        assertThat(line.hear()).isEqualTo("2000000 bytes");
    }

    @Test
    void aStarAllowsEveryNameBeneathAndNotTheNameItself() {
        attend("*.example.test:*");
        names.put("a.b.example.test", List.of("127.0.0.1"));
        assertThat(guest.ask("example.test", 443).refusal()).hasMessage("example.test is not allowed");
        assertThat(guest.ask("badexample.test", 443).refusal()).hasMessage("badexample.test is not allowed");
        assertThat(guest.ask("a.b.example.test", port).refusal())
                .hasMessageContaining("it leads to a loopback address");
        assertThat(lookups).hasValue(1);
    }

    @Test
    void aNameThatLeadsToWhereNobodyAllowedIsDeniedAndNothingIsDialled() throws Exception {
        Map<String, String> places = Map.ofEntries(
                Map.entry("127.0.0.1", "loopback"),
                Map.entry("127.9.9.9", "loopback"),
                Map.entry("::1", "loopback"),
                Map.entry("10.1.2.3", "private"),
                Map.entry("172.31.255.255", "private"),
                Map.entry("192.168.1.1", "private"),
                Map.entry("fd12::1", "private"),
                Map.entry("100.64.0.1", "shared"),
                Map.entry("169.254.1.1", "link-local"),
                Map.entry("fe80::1", "link-local"),
                Map.entry("169.254.169.254", "metadata"),
                Map.entry("fd00:ec2::254", "metadata"),
                Map.entry("224.0.0.1", "multicast"),
                Map.entry("ff02::1", "multicast"),
                Map.entry("0.0.0.0", "no address"),
                Map.entry("::", "no address"),
                Map.entry("255.255.255.255", "reserved"),
                Map.entry("2002:7f00:1::", "hides another"),
                Map.entry("64:ff9b::7f00:1", "hides another"),
                Map.entry("::7f00:1", "hides another"));
        attend("trap.test:" + port);
        for (Map.Entry<String, String> place : places.entrySet()) {
            names.put("trap.test", List.of(place.getKey()));
            CortexException refused = guest.ask("trap.test", port).refusal();
            assertThat(refused.code()).as(place.getKey()).isEqualTo(ErrorCode.DENIED);
            assertThat(refused).hasMessageContaining(place.getValue());
        }
        server.setSoTimeout(200);
        assertThatThrownBy(server::accept).isInstanceOf(java.net.SocketTimeoutException.class);
    }

    @Test
    void whoAllowsPrivateAddressesDoesNotAllowMetadataServices() {
        attend("trap.test@private");
        for (String place : List.of("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")) {
            names.put("trap.test", List.of(place));
            CortexException refused = guest.ask("trap.test", 80).refusal();
            assertThat(refused.code()).as(place).isEqualTo(ErrorCode.DENIED);
            assertThat(refused.remedy()).isEmpty();
        }
    }

    @Test
    void aNameIsLookedUpOnceAndWhatWasCheckedIsWhatIsDialled() throws Exception {
        attend("rebind.test:" + port + "@private");
        serveCounts();
        names.put("rebind.test", List.of("127.0.0.1"));
        Line line = guest.ask("rebind.test", port).line();
        line.endSaying();
        assertThat(line.hear()).isEqualTo("0 bytes");
        assertThat(lookups).hasValue(1);
        names.put("rebind.test", List.of("169.254.169.254"));
        assertThat(guest.ask("rebind.test", port).refusal().code()).isEqualTo(ErrorCode.DENIED);
        assertThat(lookups).hasValue(2);
    }

    @Test
    void ofSeveralAddressesOnlyThoseThatAreAllowedAreTried() throws Exception {
        attend("mixed.test:" + port + "@private");
        serveCounts();
        names.put("mixed.test", List.of("169.254.169.254", "0.0.0.0", "127.0.0.1"));
        Line line = guest.ask("mixed.test", port).line();
        line.endSaying();
        assertThat(line.hear()).isEqualTo("0 bytes");
    }

    @Test
    void whatIsAnAddressToSomeAndANameToOthersIsNeither() {
        attend("*.test", "127.0.0.1:" + port);
        for (String odd : List.of(
                "0x7f.1",
                "2130706433",
                "127.1",
                "017700000001",
                "127.0.0.01",
                "0x7f000001",
                "1.2.3.4.5",
                "a.0x1",
                "a..b",
                "-a.test",
                "a_b-.test",
                "a b.test",
                "%31.test",
                "[::1",
                "::1]",
                "fe80::1%lo",
                "\u0000",
                "a/b.test",
                "x".repeat(64) + ".test",
                "*.test",
                "")) {
            Asked request = guest.ask(odd, port);
            assertThat(request.refusal().code()).as(odd).isEqualTo(ErrorCode.DENIED);
        }
        assertThat(lookups).hasValue(0);
    }

    @Test
    void everyWayToWriteAnAddressIsHeldAgainstTheSameRule() throws Exception {
        attend("127.0.0.1:" + port);
        serveCounts();
        for (String written : List.of("127.0.0.1", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "127.0.0.1.")) {
            Line line = guest.ask(written, port).line();
            line.endSaying();
            assertThat(line.hear()).as(written).isEqualTo("0 bytes");
        }
        assertThat(guest.ask("127.0.0.2", port).refusal()).hasMessage("127.0.0.2:" + port + " is not allowed");
        assertThat(guest.ask("here.test", port).refusal()).hasMessage("here.test:" + port + " is not allowed");
    }

    @Test
    void aNameInAnotherScriptIsTheOneInAscii() {
        attend("xn--bcher-kva.test");
        names.put("xn--bcher-kva.test", List.of("10.0.0.1"));
        assertThat(guest.ask("B\u00dcCHER.test", 443).refusal()).hasMessageContaining("10.0.0.1");
        assertThat(guest.ask("b\u00fccher\u3002test", 443).refusal()).hasMessageContaining("10.0.0.1");
        assertThat(guest.ask("\uff11\uff12\uff17.0.0.1", port).refusal()).hasMessageContaining("127.0.0.1");
    }

    @Test
    void aNameThatDoesNotExistAndAServerThatIsNotThereSaySo() throws Exception {
        int closed;
        try (ServerSocket gone = new ServerSocket()) {
            gone.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            closed = gone.getLocalPort();
        }
        attend("nowhere.test", "here.test:" + closed + "@private");
        assertThat(guest.ask("nowhere.test", 443).refusal().code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(guest.ask("here.test", closed).refusal().code()).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(decisions()).extracting(Decision::verdict).containsExactly(Verdict.FAIL, Verdict.FAIL);
    }

    @Test
    void otherTermsCutWhatTheyDoNotAllowAndLeaveTheRest() throws Exception {
        names.put("there.test", List.of("127.0.0.1"));
        attend("here.test:" + port + "@private", "there.test:" + port + "@private");
        Line here = guest.ask("here.test", port).line();
        Socket remote = accept();
        Line there = guest.ask("there.test", port).line();
        Socket other = accept();
        perimeter.replace(API, new Egress(List.of("there.test:" + port + "@private")));
        assertThat(here.cutWithin(Duration.ofSeconds(1))).isTrue();
        assertThatThrownBy(() -> {
                    if (remote.getInputStream().read() < 0) {
                        throw new IOException("ended");
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(guest.ask("here.test", port).refusal().code()).isEqualTo(ErrorCode.DENIED);
        there.say("still here");
        assertThat(new String(other.getInputStream().readNBytes(10), StandardCharsets.UTF_8))
                .isEqualTo("still here");
        assertThat(decisions()).extracting(Decision::verdict).contains(Verdict.CUT);
        perimeter.replace(API, new Egress(List.of()));
        assertThat(there.cutWithin(Duration.ofSeconds(1))).isTrue();
    }

    @Test
    void whenASandboxLeavesItsConnectionsAreClosed() throws Exception {
        attend("here.test:" + port + "@private");
        Line line = guest.ask("here.test", port).line();
        accept();
        guest.leave();
        assertThat(line.cutWithin(SOON)).isTrue();
    }

    @Test
    void aRequestThatIsWithdrawnIsNotDialledForAnyMore() throws Exception {
        attend("here.test:" + port + "@private");
        Asked request = guest.ask("here.test", port);
        Line line = request.line();
        Socket remote = accept();
        guest.tell(new GuestEvent.Withdrawn(request.number()));
        assertThat(line.cutWithin(SOON)).isTrue();
        remote.setSoTimeout((int) SOON.toMillis());
        assertThatThrownBy(() -> {
                    if (remote.getInputStream().read() < 0) {
                        throw new IOException("ended");
                    }
                })
                .isInstanceOf(IOException.class);
        guest.tell(new GuestEvent.Withdrawn(99_999)); // of which nobody knows
        assertThat(guest.ask("pypi.example", 443).refusal().code()).isEqualTo(ErrorCode.DENIED);
    }

    @Test
    void anEventOfAKindToComeIsRefusedAndTheRestGoesOn() {
        attend();
        Asked request = guest.expect(500);
        guest.tell(new GuestEvent.Unknown(500, 77));
        assertThat(request.refusal().code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(guest.ask("pypi.example", 443).refusal().code()).isEqualTo(ErrorCode.DENIED);
    }

    @Test
    void aFloodOfConnectionsIsRefusedBeyondItsBoundAndTheOthersHaveRoom() throws Exception {
        attend("here.test:" + port + "@private");
        List<Asked> flood = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            flood.add(guest.ask("here.test", port));
        }
        await(() -> flood.stream().allMatch(Asked::answered));
        long refused = flood.stream()
                .filter(request -> {
                    try {
                        return request.refusal().code() == ErrorCode.CAPACITY;
                    } catch (AssertionError allowed) {
                        return false;
                    }
                })
                .count();
        assertThat(refused).isEqualTo(300 - 256);
        AskingGuest neighbour = new AskingGuest();
        attend(OTHER, neighbour, "here.test:" + port + "@private");
        neighbour.ask("here.test", port).line();
        neighbour.leave();
    }

    @Test
    void aFloodOfRefusalsCostsABoundedLogThatCountsAllOfThem() throws Exception {
        attend();
        AskingGuest neighbour = new AskingGuest();
        attend(OTHER, neighbour);
        List<Asked> flood = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            flood.add(guest.ask("n" + i + ".flood.test", 443));
        }
        assertThat(neighbour.ask("pypi.example", 443).refusal().code()).isEqualTo(ErrorCode.DENIED);
        await(() -> flood.stream().allMatch(Asked::answered));
        List<Decision> written = decisions();
        assertThat(written.stream().mapToLong(Decision::count).sum()).isEqualTo(1_000);
        assertThat(written.size()).isLessThan(500);
        neighbour.leave();
    }

    @Test
    void theSameRefusalAgainAndAgainIsOneLineAndItsCount() {
        attend();
        for (int i = 0; i < 50; i++) {
            guest.ask("pypi.example", 443).refusal();
        }
        List<Decision> written = decisions();
        assertThat(written).hasSizeLessThan(5);
        assertThat(written.stream().mapToLong(Decision::count).sum()).isEqualTo(50);
    }

    @Test
    void rulesThatAreNoneAreRefusedTogether() {
        assertThatThrownBy(() -> perimeter.normalised(
                        new Egress(List.of("a.test:0", "b..test", "*.10.0.0.1", "0.0.0.0", "c.test:http", "d.test"))))
                .isInstanceOfSatisfying(
                        CortexException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("a.test:0")
                .hasMessageContaining("b..test")
                .hasMessageContaining("*.10.0.0.1")
                .hasMessageContaining("0.0.0.0")
                .hasMessageContaining("c.test:http");
        assertThat(perimeter
                        .normalised(new Egress(List.of(
                                "PyPI.org.", "pypi.org", "*.NPMjs.org:443", "[::ffff:10.0.0.1]:80", "db.corp@private")))
                        .allowHosts())
                .containsExactly("pypi.org", "*.npmjs.org:443", "10.0.0.1:80", "db.corp@private");
    }
}
