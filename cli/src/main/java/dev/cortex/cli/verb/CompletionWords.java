package dev.cortex.cli.verb;

import dev.cortex.cli.completion.Candidate;
import dev.cortex.cli.completion.TypedLine;
import dev.cortex.cli.completion.Wish;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the shells ask for while somebody types. A daemon is not started for that; one that does not answer at once is not
 * waited for, and what goes wrong is no words. Names and paths of sandboxes are theirs to choose: one that holds what a
 * terminal or a shell might take for more than a name is left out.
 */
final class CompletionWords {
    /** Whoever presses a key waits no longer than this. */
    private static final long PATIENCE_MILLIS = 1_000;

    /** A folder with more is not looked through by pressing a key. */
    private static final String ENTRIES = "1000";

    private final Context context;
    private final TypedLine line;
    private final List<Candidate> found = new ArrayList<>();
    private String kind = ":words";

    CompletionWords(Context context, TypedLine line) {
        this.context = context;
        this.line = line;
    }

    void print() {
        Thread impatient = new Thread(CompletionWords::giveUp, "impatient");
        impatient.setDaemon(true);
        impatient.start();
        try {
            gather(line.wish());
        } catch (CortexException e) {
            // Nobody asked a question: there is nothing to answer.
            found.clear();
        }
        context.output().line(kind);
        String prefix = line.prefix();
        for (Candidate candidate : found) {
            if (candidate.word().startsWith(line.part()) && isPlain(candidate.word())) {
                String about = candidate.about();
                context.output().line(prefix + candidate.word() + (about.isEmpty() ? "" : "\t" + Printable.of(about)));
            }
        }
    }

    private static void giveUp() {
        try {
            Thread.sleep(PATIENCE_MILLIS);
            Runtime.getRuntime().halt(1);
        } catch (InterruptedException e) {
            // It is over.
        }
    }

    private static boolean isPlain(String word) {
        for (int i = 0; i < word.length(); i++) {
            if (Character.isISOControl(word.charAt(i)) || word.charAt(i) == '\ufffd') {
                return false;
            }
        }
        return !word.isEmpty();
    }

    private void gather(Wish wish) {
        switch (wish) {
            case Wish.Words words -> found.addAll(words.all());
            case Wish.Sandboxes sandboxes -> sandboxes(sandboxes.states(), "");
            case Wish.Place place -> place();
            case Wish.Sessions sessions -> sessions(sessions.sandbox());
            case Wish.Images images -> images(images.orFiles());
            case Wish.Inside inside -> inside(inside.sandbox(), line.part(), "");
            case Wish.Files files -> kind = ":files";
            case Wish.Folders folders -> kind = ":folders";
            case Wish.Unknown unknown -> found.clear();
        }
    }

    /** What the daemon says, where one runs. */
    private Optional<Json> ask(Request request) {
        Daemon daemon = line.home().isPresent()
                ? new Daemon(Home.at(HostText.path(line.home().get())), context.install(), words -> {})
                : context.daemon();
        Optional<Connection> running = daemon.connectRunning();
        return running.isPresent() ? Optional.of(daemon.call(request, running.get(), Daemon.SILENT)) : Optional.empty();
    }

    private void sandboxes(List<String> states, String end) {
        Optional<Json> list = ask(Request.of(Operations.LIST));
        if (list.isEmpty()) {
            return;
        }
        for (Json sandbox : list.get().get("sandboxes").items()) {
            String state = sandbox.get("state").text();
            String name = sandbox.get("name").text();
            if (!line.isGiven(name) && (states.isEmpty() || states.contains(state))) {
                found.add(new Candidate(name + end, state));
            }
        }
    }

    private void place() {
        String part = line.part();
        int colon = part.indexOf(':');
        if (colon > 0 && part.lastIndexOf('/', colon) < 0 && part.charAt(0) != '.') {
            inside(part.substring(0, colon), part.substring(colon + 1), part.substring(0, colon + 1));
        } else {
            kind = ":files";
            sandboxes(List.of("running"), ":");
        }
    }

    private void sessions(String sandbox) {
        Optional<Json> list = ask(Request.of(Operations.SESSION_LIST, sandbox));
        if (list.isEmpty()) {
            return;
        }
        for (Json session : list.get().get("sessions").items()) {
            String about = session.get("state").text() + "  "
                    + Printable.command(session.get("argv").texts());
            found.add(new Candidate(session.get("id").text(), about));
        }
    }

    private void images(boolean orFiles) {
        String part = line.part();
        if (orFiles && (part.startsWith(".") || part.startsWith("/"))) {
            kind = ":files";
            return;
        }
        if (orFiles) {
            found.add(new Candidate("host", "this machine's /usr"));
        }
        Optional<Json> list = ask(Request.of(Operations.IMAGE_LIST));
        if (list.isEmpty()) {
            return;
        }
        for (Json image : list.get().get("images").items()) {
            for (String name : image.get("names").texts()) {
                found.add(Candidate.of(name));
            }
        }
    }

    /** @param before the path, in the word */
    private void inside(String sandbox, String path, String before) {
        int slash = path.lastIndexOf('/');
        String folder = slash < 0 ? "." : path.substring(0, slash + 1);
        Optional<Json> listing = ask(
                Request.of(Operations.FILE_LIST, sandbox).query("path", folder).query("most", ENTRIES));
        if (listing.isEmpty()) {
            return;
        }
        for (Json entry : listing.get().get("entries").items()) {
            if (entry.get("path").isPresent()) {
                String full = entry.get("path").text();
                String name = full.substring(full.lastIndexOf('/') + 1);
                boolean isFolder = entry.get("type").text().equals("directory");
                if (!name.startsWith(".") || path.startsWith(".", slash + 1)) {
                    found.add(Candidate.of(before + path.substring(0, slash + 1) + name + (isFolder ? "/" : "")));
                }
            }
        }
    }
}
