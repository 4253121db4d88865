package dev.cortex.guest;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.cortex.guest.pb.AnswerKind;
import dev.cortex.guest.pb.ConnectEvent;
import dev.cortex.guest.pb.ErrorDetail;
import dev.cortex.guest.pb.EventKind;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The events of a neuron over a data stream of kind {@code events}. */
final class EventStream implements GuestEvents {
    /** A ConnectEvent has six fields; a later neuron's may have more. */
    private static final int FIELDS_MOST = 64;

    private static final int HOST_BYTES = 255;
    private static final int PORT_MOST = 65_535;
    private static final int METHOD_CHARACTERS = 32;
    private static final int SESSION_CHARACTERS = 128;

    /** TASK_COMM_LEN of the kernel. */
    private static final int PROGRAM_BYTES = 16;

    private final FrameChannel channel;

    private EventStream(FrameChannel channel) {
        this.channel = channel;
    }

    /** Opens it on a channel, which is closed with it, and when it is refused. */
    static EventStream open(FrameChannel channel, Dial dial) {
        Handshake.shake(channel, new Frame.Handshake(Frame.Kind.EVENTS, Frame.Mode.OBSERVE, 0, ""), dial);
        return new EventStream(channel);
    }

    @Override
    public Optional<GuestEvent> next() {
        try {
            Optional<Frame> next = channel.read();
            if (next.isEmpty()) {
                return Optional.empty();
            }
            return switch (next.get()) {
                case Frame.Event event -> Optional.of(event(event));
                case Frame.Error error -> throw Refusal.of(error);
                default -> throw new IOException("a frame that has no place among events");
            };
        } catch (IOException | GuestFault e) {
            Watchdog.close(channel);
            throw lost(e);
        }
    }

    private static GuestEvent event(Frame.Event event) throws IOException {
        EventKind kind = EventKind.forNumber(event.kind());
        if (kind == null) {
            return new GuestEvent.Unknown(event.number(), event.kind());
        }
        return switch (kind) {
            case EVENT_KIND_CONNECT -> connect(event);
            case EVENT_KIND_WITHDRAWN -> new GuestEvent.Withdrawn(event.number());
            default -> new GuestEvent.Unknown(event.number(), event.kind());
        };
    }

    private static GuestEvent connect(Frame.Event event) throws IOException {
        byte[] body = new byte[event.body().remaining()];
        event.body().get(body);
        FieldCount.check(body, FIELDS_MOST);
        ConnectEvent connect;
        try {
            connect = ConnectEvent.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw new GuestFault("an event that cannot be read");
        }
        ByteString host = connect.getHost();
        int port = connect.getPort();
        if (host.isEmpty() || host.size() > HOST_BYTES || port < 1 || port > PORT_MOST) {
            throw new GuestFault("an event of a connection to nowhere");
        }
        if (connect.getProgram().size() > PROGRAM_BYTES || connect.getMethod().length() > METHOD_CHARACTERS) {
            throw new GuestFault("an event with names that are too long");
        }
        return new GuestEvent.Connect(
                event.number(),
                text(host),
                port,
                via(connect),
                GuestError.clean(connect.getMethod(), METHOD_CHARACTERS),
                GuestError.clean(connect.getSession(), SESSION_CHARACTERS),
                GuestError.clean(connect.getProgram().toStringUtf8(), PROGRAM_BYTES));
    }

    /** Bytes that are no text become a name that no rule and no resolver takes. */
    private static String text(ByteString host) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(host.asReadOnlyByteBuffer())
                    .toString();
        } catch (CharacterCodingException e) {
            return GuestError.clean(host.toString(StandardCharsets.ISO_8859_1), HOST_BYTES) + "?";
        }
    }

    private static GuestEvent.Via via(ConnectEvent connect) {
        return switch (connect.getVia()) {
            case VIA_CONNECT -> GuestEvent.Via.TUNNEL;
            case VIA_HTTP -> GuestEvent.Via.HTTP;
            default -> GuestEvent.Via.OTHER;
        };
    }

    @Override
    public void refuse(long number, CortexException why) {
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setCode(why.code().name())
                .setMessage(why.getMessage())
                .setRemedy(why.remedy().orElse(""))
                .build();
        try {
            channel.write(new Frame.Answer(
                    number, AnswerKind.ANSWER_KIND_REFUSED_VALUE, ByteBuffer.wrap(detail.toByteArray())));
        } catch (IOException e) {
            throw lost(e);
        }
    }

    private static CortexException lost(Exception reason) {
        return CortexException.of(ErrorCode.GUEST_LOST, "the guest's events broke off", "")
                .because(reason);
    }

    @Override
    public void close() {
        Watchdog.close(channel);
    }
}
