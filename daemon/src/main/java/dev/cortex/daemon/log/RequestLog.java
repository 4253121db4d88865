package dev.cortex.daemon.log;

import dev.cortex.protocol.error.CortexException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line for each request that was answered. Paths are not logged: they hold names of files. */
public final class RequestLog {
    private static final Logger LOG = Logger.getLogger(RequestLog.class.getName());

    private RequestLog() {}

    /**
     * @param begin of {@link System#nanoTime()}
     * @param trace id of the request's trace
     */
    public static void write(
            String operation, String method, int status, long begin, String trace, Optional<CortexException> error) {
        long micros = (System.nanoTime() - begin) / 1_000;
        LOG.log(new Line(operation, method, status, micros, trace, error));
    }

    /** A record that keeps its fields apart. */
    static final class Line extends LogRecord {
        private static final long serialVersionUID = 1L;

        private final String operation;
        private final String method;
        private final int status;
        private final long micros;
        private final String trace;
        private final transient Optional<CortexException> error;

        Line(String operation, String method, int status, long micros, String trace, Optional<CortexException> error) {
            super(Level.INFO, "request");
            setLoggerName(LOG.getName());
            this.operation = operation;
            this.method = method;
            this.status = status;
            this.micros = micros;
            this.trace = trace;
            this.error = error;
        }

        void addTo(JsonLines line) {
            line.add("message", "request")
                    .add("operation", operation)
                    .add("method", method)
                    .add("status", status == 0 ? 200 : status)
                    .add("duration_us", micros)
                    .add("trace_id", trace);
            error.ifPresent(e -> {
                line.add("code", e.code().name()).add("detail", e.getMessage());
                e.reason().ifPresent(reason -> line.add("cause", reason));
            });
        }
    }
}
