package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.copy.Copy;
import dev.cortex.cli.copy.Place;
import dev.cortex.cli.copy.Undo;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.terminal.Output;

/** {@code cortex cp}. */
final class CopyCommand implements Command {
    private final Context context;

    CopyCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() throws UsageException {
        Invocation invocation = context.invocation();
        Output output = context.output();
        Undo undo = new Undo();
        boolean progress = Descriptors.isTerminal(2) && !output.json();
        Signals.handle("INT", () -> interrupt(undo, progress, ExitStatus.INTERRUPTED));
        Signals.handle("TERM", () -> interrupt(undo, progress, ExitStatus.TERMINATED));
        Copy copy = new Copy(
                context.daemon(),
                invocation.text("user"),
                output,
                context.install().launcher(),
                progress,
                undo);
        long begun = System.nanoTime();
        Place target = Place.of(invocation.operands().get(1));
        long bytes = copy.copy(Place.of(invocation.operands().get(0)), target);
        // Where stdout is the file's, an envelope behind it would be part of the file.
        if (output.json() && !(target instanceof Place.Stream)) {
            long millis = (System.nanoTime() - begun) / 1_000_000;
            output.data(
                    "copied",
                    Json.object().put("bytes", bytes).put("duration_ms", millis).build());
        }
        return 0;
    }

    private void interrupt(Undo undo, boolean progress, int status) {
        String left = undo.interrupt();
        // The line of the progress stays as it was.
        context.output().say((progress ? "\n" : "") + "cortex: interrupted, " + left);
        System.exit(status);
    }
}
