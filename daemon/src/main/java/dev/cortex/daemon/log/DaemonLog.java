package dev.cortex.daemon.log;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.time.Clock;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Everything that this process logs, by whichever library, goes to the home's log. */
public final class DaemonLog extends Handler {
    private final LogFile file;

    private DaemonLog(LogFile file) {
        this.file = file;
    }

    /** Takes the process's logging over; to be called before anything logs. */
    public static DaemonLog install(Path path, LogLimits limits) throws IOException {
        System.setProperty("java.util.logging.manager", LastingLogManager.class.getName());
        DaemonLog log = new DaemonLog(new LogFile(path, limits, Clock.systemUTC()));
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.INFO);
        root.addHandler(log);
        Logger jetty = Logger.getLogger("org.eclipse.jetty");
        jetty.setLevel(Level.WARNING);
        // Loggers are held weakly: without a reference the level would be forgotten.
        log.jetty = jetty;
        return log;
    }

    private Logger jetty = Logger.getLogger("org.eclipse.jetty");

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        JsonLines line = new JsonLines()
                .add("time", record.getInstant())
                .add("level", level(record.getLevel()))
                .add("logger", String.valueOf(record.getLoggerName()));
        if (record instanceof RequestLog.Line request) {
            request.addTo(line);
        } else {
            line.add("message", message(record));
            if (record.getThrown() != null) {
                line.add("error", trace(record.getThrown()));
            }
        }
        try {
            file.append(line.end());
        } catch (IOException e) {
            reportError("the daemon's log cannot be written", e, ErrorManager.WRITE_FAILURE);
        }
    }

    private static String level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return "error";
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return "warn";
        }
        return level.intValue() >= Level.INFO.intValue() ? "info" : "debug";
    }

    private static String message(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        Object[] parameters = record.getParameters();
        if (parameters == null || parameters.length == 0) {
            return message;
        }
        try {
            return MessageFormat.format(message, parameters);
        } catch (IllegalArgumentException e) {
            return message;
        }
    }

    private static String trace(Throwable thrown) {
        StringWriter words = new StringWriter();
        thrown.printStackTrace(new PrintWriter(words));
        return words.toString();
    }

    @Override
    public void flush() {
        // Each line is written at once.
    }

    @Override
    public void close() {
        try {
            jetty.setLevel(null);
            file.close();
        } catch (IOException e) {
            reportError("the daemon's log cannot be closed", e, ErrorManager.CLOSE_FAILURE);
        }
    }
}
