package dev.cortex.guest;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.cortex.guest.Calls.Method;
import dev.cortex.guest.pb.ExecRequest;
import dev.cortex.guest.pb.ExecResponse;
import dev.cortex.guest.pb.InfoRequest;
import dev.cortex.guest.pb.InfoResponse;
import dev.cortex.guest.pb.InitializeRequest;
import dev.cortex.guest.pb.InitializeResponse;
import dev.cortex.guest.pb.ListSessionsRequest;
import dev.cortex.guest.pb.ListSessionsResponse;
import dev.cortex.guest.pb.RemoveSessionRequest;
import dev.cortex.guest.pb.RemoveSessionResponse;
import dev.cortex.guest.pb.SessionInfo;
import dev.cortex.guest.pb.SessionStatusRequest;
import dev.cortex.guest.pb.ShutdownRequest;
import dev.cortex.guest.pb.ShutdownResponse;
import dev.cortex.guest.pb.SignalRequest;
import dev.cortex.guest.pb.SignalResponse;
import dev.cortex.guest.pb.Terminal;
import dev.cortex.guest.pb.User;
import dev.cortex.guest.pb.WindowSize;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.guest.GuestFiles;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.guest.GuestTunnel;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** One neuron: the calls about itself and about sessions. */
final class Neuron implements Guest {
    /** Of every call that does not bring its own (DESIGN section 6). */
    static final Duration DEADLINE = Duration.ofSeconds(30);

    /** What a small answer may have: room for versions to come, and far from being a burden. */
    static final int SMALL_BYTES = 64 << 10;

    static final int SMALL_FIELDS = 256;

    /** Running sessions and kept statuses are at most 11,000 (guest.proto); an honest list stays below. */
    private static final int SESSIONS_MOST = 12_000;

    private static final Method<InfoResponse> INFO = small("Info", InfoResponse.parser());
    private static final Method<InitializeResponse> INITIALIZE = small("Initialize", InitializeResponse.parser());
    private static final Method<ExecResponse> EXEC = small("Exec", ExecResponse.parser());
    private static final Method<SignalResponse> SIGNAL = small("Signal", SignalResponse.parser());
    private static final Method<SessionInfo> STATUS =
            new Method<>("SessionStatus", SessionInfo.parser(), SMALL_BYTES, 16 << 10);
    private static final Method<ListSessionsResponse> LIST =
            new Method<>("ListSessions", ListSessionsResponse.parser(), CallStream.MESSAGE_BYTES, SESSIONS_MOST);
    private static final Method<RemoveSessionResponse> REMOVE = small("RemoveSession", RemoveSessionResponse.parser());
    private static final Method<ShutdownResponse> SHUTDOWN = small("Shutdown", ShutdownResponse.parser());

    private final Dial dial;
    private final Calls calls;
    private final DataStreams data;
    private final NeuronFiles files;
    private final Forwards forwards;

    Neuron(Dial dial, GuestToken token) {
        this.dial = dial;
        this.calls = new Calls(dial, token);
        this.data = new DataStreams(dial, calls::token);
        this.files = new NeuronFiles(this, data, dial.watchdog());
        this.forwards = new Forwards(data, dial.watchdog());
    }

    static <R> Method<R> small(String name, com.google.protobuf.Parser<R> parser) {
        return new Method<>(name, parser, SMALL_BYTES, SMALL_FIELDS);
    }

    /** Calls, and reads the answer; a lie in it ends the stream. */
    <R extends MessageLite, T> T call(Method<R> method, MessageLite request, Duration deadline, Function<R, T> read) {
        R answer = calls.call(method, request, deadline);
        try {
            return read.apply(answer);
        } catch (GuestFault fault) {
            throw calls.broken(fault);
        }
    }

    @Override
    public GuestInfo info(Duration deadline) {
        return call(INFO, InfoRequest.getDefaultInstance(), deadline, Answers::info);
    }

    @Override
    public void initialize(GuestIdentity identity, Duration deadline) {
        GuestIdentity.User user = identity.user();
        InitializeRequest.Builder request = InitializeRequest.newBuilder()
                .setToken(ByteString.copyFrom(identity.token().bytes()))
                .setGeneration(identity.generation())
                .setHostname(identity.hostname())
                .setMachineId(identity.machineId())
                .setUser(User.newBuilder()
                        .setName(user.name())
                        .setUid(user.uid())
                        .setGid(user.gid())
                        .setHome(ByteString.copyFromUtf8(user.home())))
                .setWorkingDirectory(ByteString.copyFromUtf8(identity.workdir()))
                .setRingsTotalBytes(identity.ringsTotalBytes())
                .setNoRoot(!identity.root())
                .setEgressProxy(identity.proxy());
        identity.environment().forEach(entry -> request.addEnvironment(ByteString.copyFrom(entry)));
        calls.call(INITIALIZE, request.build(), deadline);
        calls.use(identity.token());
    }

    @Override
    public SessionStatus exec(SessionSpec spec) {
        return call(EXEC, request(spec), DEADLINE, answer -> Answers.session(answer.getSession(), spec.id()));
    }

    private static ExecRequest request(SessionSpec spec) {
        ExecRequest.Builder request = ExecRequest.newBuilder()
                .setSessionId(spec.id())
                .setWorkingDirectory(ByteString.copyFrom(spec.workdir()))
                .setUser(spec.user())
                .setStdin(spec.stdin())
                .setClaim(spec.claim())
                // A timeout below a millisecond is still one: 0 would mean none.
                .setTimeoutMs(spec.timeout()
                        .map(limit -> Math.max(1, limit.toMillis()))
                        .orElse(0L))
                .setBackground(spec.background())
                .setLabel(spec.label());
        spec.argv().forEach(argument -> request.addArgv(ByteString.copyFrom(argument)));
        spec.environment().forEach(entry -> request.addEnvironment(ByteString.copyFrom(entry)));
        spec.terminal()
                .ifPresent(terminal -> request.setTerminal(Terminal.newBuilder()
                        .setTerm(terminal.term())
                        .setSize(
                                WindowSize.newBuilder().setRows(terminal.rows()).setColumns(terminal.columns()))));
        return request.build();
    }

    @Override
    public int signal(String session, int signal, boolean all) {
        SignalRequest request = SignalRequest.newBuilder()
                .setSessionId(session)
                .setSignal(signal)
                .setAll(all)
                .build();
        return call(SIGNAL, request, DEADLINE, answer -> Answers.count(answer.getSignaled(), "processes"));
    }

    @Override
    public SessionStatus status(String session, Duration wait) {
        SessionStatusRequest request = SessionStatusRequest.newBuilder()
                .setSessionId(session)
                .setWaitMs(wait.toMillis())
                .build();
        return call(STATUS, request, wait.plus(DEADLINE), answer -> Answers.session(answer, session));
    }

    @Override
    public List<SessionStatus> sessions() {
        return sessions(DEADLINE);
    }

    @Override
    public List<SessionStatus> sessions(Duration deadline) {
        return call(
                LIST,
                ListSessionsRequest.getDefaultInstance(),
                deadline,
                answer -> Answers.sessions(answer.getSessionsList()));
    }

    @Override
    public void removeSession(String session) {
        calls.call(
                REMOVE, RemoveSessionRequest.newBuilder().setSessionId(session).build(), DEADLINE);
    }

    @Override
    public GuestFiles files() {
        return files;
    }

    @Override
    public FrameChannel data() {
        return data.open();
    }

    @Override
    public FrameChannel forward(int port) {
        return forwards.open(port);
    }

    @Override
    public GuestEvents events() {
        return EventStream.open(data.openSparing(), dial);
    }

    @Override
    public GuestTunnel tunnel(long number) {
        return TunnelStream.open(data.openSparing(), dial, number);
    }

    @Override
    public void awaitLost() {
        calls.awaitEnd();
    }

    @Override
    public void shutdown(Duration grace) {
        // Zero would be the neuron's own default.
        long graceMs = Math.max(1, grace.toMillis());
        calls.call(SHUTDOWN, ShutdownRequest.newBuilder().setGraceMs(graceMs).build(), grace.plus(DEADLINE));
    }

    @Override
    public void standsStill() {
        calls.standstill().begin();
    }

    @Override
    public void goesOn() {
        calls.standstill().end();
    }

    @Override
    public void close() {
        calls.close();
        data.close();
    }
}
