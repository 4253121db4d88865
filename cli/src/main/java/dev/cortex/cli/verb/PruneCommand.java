package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.List;

/** {@code cortex prune}: says what would go, and with {@code --apply} removes it. */
final class PruneCommand implements Command {
    private static final int LEFT = 1;
    private static final int DIGITS = 12;
    private static final String KEPT = "kept  ";

    private final Context context;
    private final Output output;

    PruneCommand(Context context) {
        this.context = context;
        this.output = context.output();
    }

    @Override
    public int run() {
        boolean apply =
                context.invocation().has("apply") || context.invocation().has("yes");
        boolean disks = context.invocation().has("disks");
        boolean images = context.invocation().has("images");
        Json.Building request =
                Json.object().put("apply", apply).put("disks", disks).put("images", images);
        Json result;
        try (Patience patience = Patience.during(output, apply ? "removing" : "looking")) {
            result = context.daemon().call(Request.of(Operations.PRUNE).json(JsonText.write(request.build())));
        }
        int status = result.get("left").items().isEmpty() ? 0 : LEFT;
        if (output.json()) {
            output.data("prune", result);
            return status;
        }
        tell(result, apply, disks, images);
        return status;
    }

    private void tell(Json result, boolean apply, boolean withDisks, boolean withImages) {
        List<Json> orphans = result.get("orphans").items();
        List<Json> disks = result.get("disks").items();
        List<Json> images = result.get("images").items();
        List<Json> layers = result.get("layers").items();
        boolean unneeded = !images.isEmpty() || !layers.isEmpty();
        String word = apply ? "removed  " : "would go  ";
        for (Json orphan : orphans) {
            output.line(word + orphan.get("sandbox").text() + "  (no record knows it)");
            orphan.get("what").texts().forEach(what -> output.line("    " + Printable.of(what)));
        }
        for (Json disk : disks) {
            String name = disk.get("name").text();
            output.line((withDisks ? word : KEPT) + "disk "
                    + (name.isEmpty() ? disk.get("folder").text() : name) + "  "
                    + (disk.get("bytes").isPresent()
                            ? Units.size(disk.get("bytes").whole())
                            : "of unknown size")
                    + (name.isEmpty() ? "  (no record knows it)" : ""));
        }
        String imageWord = withImages ? word : KEPT;
        for (Json image : images) {
            output.line(imageWord + "image " + brief(image.get("digest").text()) + "  "
                    + Units.size(image.get("bytes").whole()) + "  (no name, and nobody uses it)");
        }
        for (Json layer : layers) {
            output.line(imageWord + "layer " + brief(layer.get("chain").text()) + "  "
                    + Units.size(layer.get("bytes").whole()) + "  (of no image)");
        }
        if (orphans.isEmpty() && disks.isEmpty() && !unneeded) {
            output.line("nothing to remove");
        }
        result.get("unsure").texts().forEach(line -> output.say("cortex: kept: " + Printable.of(line)));
        result.get("left").texts().forEach(line -> output.say("cortex: left: " + Printable.of(line)));
        if (!disks.isEmpty() && !withDisks) {
            output.say("  with the disks: cortex prune --disks");
        }
        if (unneeded && !withImages) {
            output.say("  with the images: cortex prune --images");
        }
        if (!apply && (!orphans.isEmpty() || (withDisks && !disks.isEmpty()) || (withImages && unneeded))) {
            output.say("  nothing was changed; do it: cortex prune --apply" + (withDisks ? " --disks" : "")
                    + (withImages ? " --images" : ""));
        }
    }

    /** As much of a digest as people copy. */
    private static String brief(String digest) {
        int end = digest.indexOf(':') + 1 + DIGITS;
        return digest.substring(0, Math.min(end, digest.length()));
    }
}
