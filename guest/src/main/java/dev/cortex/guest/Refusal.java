package dev.cortex.guest;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.cortex.guest.pb.Detail;
import dev.cortex.guest.pb.ErrorDetail;
import dev.cortex.guest.pb.Status;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.protocol.wire.Frame;
import java.util.Optional;

/** A guest's refusal of a call, or on a stream, as one of our errors. */
final class Refusal {
    private static final String DETAIL_TYPE = "/cortex.guest.v1.ErrorDetail";
    private static final int MESSAGE_MOST = 2_048;

    private Refusal() {}

    static CortexException of(String method, Status status) {
        return detail(status)
                .map(detail -> GuestError.of(detail.getCode(), detail.getMessage(), detail.getRemedy()))
                .orElseGet(() -> bare(method, status));
    }

    /** An Error frame's. */
    static CortexException of(Frame.Error error) {
        return GuestError.of(error.code(), error.message(), "");
    }

    private static Optional<ErrorDetail> detail(Status status) {
        for (Detail detail : status.getDetailsList()) {
            if (detail.getTypeUrl().endsWith(DETAIL_TYPE)) {
                try {
                    return Optional.of(ErrorDetail.parseFrom(detail.getValue()));
                } catch (InvalidProtocolBufferException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /** Errors of the ttrpc library itself have no detail; their codes are google.rpc.Code's. */
    private static CortexException bare(String method, Status status) {
        String words = method + ": " + GuestError.clean(status.getMessage(), MESSAGE_MOST);
        return switch (status.getCode()) {
            case 1 -> CortexException.of(ErrorCode.CANCELLED, words, "");
            case 3 -> CortexException.of(ErrorCode.INVALID_ARGUMENT, words, "");
            case 4 -> CortexException.of(ErrorCode.DEADLINE, words, "ask again with a later deadline");
            case 5 -> CortexException.of(ErrorCode.NOT_FOUND, words, "");
            case 8 -> CortexException.of(ErrorCode.CAPACITY, words, "try again in a moment");
            case 12 ->
                CortexException.of(
                        ErrorCode.GUEST_TOO_OLD,
                        "the sandbox's neuron does not know the call " + method,
                        "stop and start the sandbox: it then gets this daemon's neuron");
            case 14 ->
                CortexException.of(ErrorCode.GUEST_LOST, words, "inspect the sandbox; if it still runs, ask again");
            default -> CortexException.of(ErrorCode.INTERNAL, words, "");
        };
    }
}
