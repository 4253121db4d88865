package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.IsoTime;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.cli.terminal.Table;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.Nearest;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code cortex image}. */
final class ImageCommand implements Command {
    /** What people tell images apart by, and docker shows. */
    private static final int SHORT = "sha256:".length() + 12;

    private static final List<String> ACTIONS = List.of("import", "ls", "inspect", "rm");

    private final Context context;
    private final Invocation invocation;
    private final Output output;

    ImageCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        String action = invocation.operand(0);
        List<Word> operands =
                invocation.operands().subList(1, invocation.operands().size());
        switch (action) {
            case "import" -> imported(new ImageImport(context).run(only(operands, "what? A file, a folder, or -")));
            case "ls" -> list();
            case "inspect" -> inspect(only(operands, "which image?").text());
            case "rm" -> remove(operands);
            default -> {
                Optional<String> nearest = Nearest.of(action, ACTIONS);
                throw new UsageException(
                        "cortex image takes no word '" + action + "'",
                        nearest.isPresent()
                                ? "did you mean: cortex image " + nearest.get()
                                : "see: cortex image --help");
            }
        }
        return 0;
    }

    private static Word only(List<Word> operands, String question) throws UsageException {
        if (operands.size() != 1) {
            throw new UsageException(question, "see: cortex image --help");
        }
        return operands.getFirst();
    }

    private void imported(Json image) {
        if (output.json()) {
            output.data("image", image);
            return;
        }
        output.line(called(image) + "  " + brief(image.get("digest").text()) + "  "
                + Units.size(image.get("bytes").whole()));
    }

    private static String called(Json image) {
        List<String> names = image.get("names").texts();
        return names.isEmpty() ? "–" : Printable.of(String.join(", ", names));
    }

    private static String brief(String digest) {
        return digest.length() > SHORT ? digest.substring(0, SHORT) : digest;
    }

    private List<Json> all() {
        List<Json> images = new ArrayList<>();
        String after = "";
        do {
            Request request = Request.of(Operations.IMAGE_LIST);
            if (!after.isEmpty()) {
                request.query("after", after);
            }
            Json page = context.daemon().call(request);
            images.addAll(page.get("images").items());
            after = page.get("next").text();
        } while (!after.isEmpty());
        return images;
    }

    private void list() throws UsageException {
        if (invocation.operands().size() > 1) {
            throw new UsageException("cortex image ls takes no more words", "see: cortex image --help");
        }
        List<Json> images = all();
        if (output.json()) {
            output.data("images", Json.object().put("images", Json.of(images)).build());
            return;
        }
        Table table = new Table("NAME", "DIGEST", "SIZE", "AGE", "IN USE BY");
        for (Json image : images) {
            List<String> names = image.get("names").texts();
            for (String name : names.isEmpty() ? List.of("–") : names) {
                table.row(
                        Printable.of(name),
                        brief(image.get("digest").text()),
                        Units.size(image.get("bytes").whole()),
                        Units.age(System.currentTimeMillis()
                                - IsoTime.millis(image.get("imported_at").text())),
                        Printable.of(String.join(", ", image.get("used_by").texts())));
            }
        }
        int width = Descriptors.isTerminal(1) ? RawTerminal.size().columns() : 0;
        List<String> lines = table.lines(width);
        output.line(output.bold(lines.getFirst()));
        for (String line : lines.subList(1, lines.size())) {
            output.line(line);
        }
    }

    private void inspect(String name) {
        Json image = context.daemon().call(Request.of(Operations.IMAGE_INSPECT).query("image", name));
        if (output.json()) {
            output.data("image", image);
            return;
        }
        line("names", called(image));
        line("digest", image.get("digest").text());
        line("manifest", image.get("manifest_digest").text());
        line("came as", image.get("kind").text());
        line("platform", Printable.of(image.get("platform").text()));
        line("size", Units.size(image.get("bytes").whole()));
        for (Json layer : image.get("layers").items()) {
            line(
                    "layer",
                    layer.get("digest").text() + "  "
                            + Units.size(layer.get("bytes").whole()));
        }
        config(image.get("config"));
        time("created", image.get("created_at"));
        time("imported", image.get("imported_at"));
        line("used by", Printable.of(String.join(", ", image.get("used_by").texts())));
    }

    private void config(Json config) {
        line("user", Printable.of(config.get("user").text()));
        line("workdir", Printable.of(config.get("workdir").text()));
        line("entrypoint", Printable.command(config.get("entrypoint").texts()));
        line("command", Printable.command(config.get("command").texts()));
        pairs("env", config.get("env"));
        pairs("label", config.get("labels"));
    }

    private void pairs(String name, Json pairs) {
        for (Map.Entry<String, Json> pair : pairs.members().entrySet()) {
            line(name, Printable.of(pair.getKey() + "=" + pair.getValue().text()));
        }
    }

    private void time(String name, Json at) {
        if (at.isPresent()) {
            line(name, Units.age(System.currentTimeMillis() - IsoTime.millis(at.text())) + " ago");
        }
    }

    private void line(String name, String value) {
        if (!value.isEmpty()) {
            output.line(output.dim(name + " ".repeat(Math.max(1, 11 - name.length()))) + value);
        }
    }

    /** One failure does not keep the others from their turn. */
    private void remove(List<Word> names) throws UsageException {
        if (names.isEmpty()) {
            throw new UsageException("which image?", "see: cortex image --help");
        }
        List<Json> removed = new ArrayList<>();
        Optional<CortexException> failure = Optional.empty();
        for (Word name : names) {
            try {
                Json answer = context.daemon()
                        .call(Request.of(Operations.IMAGE_REMOVE).query("image", name.text()));
                removed.add(answer);
                if (!output.json()) {
                    boolean gone = answer.get("image_removed").isTrue();
                    output.line(Printable.of(name.text())
                            + (gone ? "  removed" : "  this name is removed, the image stays"));
                }
            } catch (CortexException e) {
                failure.ifPresent(earlier -> new Failure(output).say(earlier));
                failure = Optional.of(e);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (output.json()) {
            output.data("images_removed", Json.of(removed));
        }
    }
}
