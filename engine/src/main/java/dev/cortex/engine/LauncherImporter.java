package dev.cortex.engine;

import dev.cortex.drivers.launch.ImportSpec;
import dev.cortex.drivers.launch.Imported;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.images.ImageImporter;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.nio.file.Path;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Takes images in by the launcher, with the caller's subordinate ids where the caller is an ordinary user. */
record LauncherImporter(Launcher launcher) implements ImageImporter {
    @Override
    public Taken take(Request request, Consumer<Progress> progress) {
        ImportSpec spec = new ImportSpec(
                LaunchSpec.VERSION,
                request.source().toString(),
                request.layers().toString(),
                request.staging().toString(),
                request.select(),
                request.config().map(LauncherImporter::object));
        Imported imported = launcher.takeImage(
                spec, rootless(), told -> progress.accept(new Progress(told.doing(), told.done(), told.total())));
        return new Taken(
                imported.kind(),
                imported.digest(),
                imported.manifest(),
                imported.names(),
                imported.config().toString(),
                imported.layers().stream()
                        .map(layer -> new Layer(layer.chain(), layer.diffId(), layer.bytes()))
                        .toList());
    }

    private static JsonNode object(String json) {
        try {
            JsonNode node = JsonMapper.shared().readTree(json);
            if (node.isObject()) {
                return node;
            }
        } catch (JacksonException e) {
            throw noObject().because(e);
        }
        throw noObject();
    }

    private static CortexException noObject() {
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                "config is no JSON object",
                "give what docker inspect calls Config, such as {\"Env\":[\"A=b\"],\"User\":\"1000\"}");
    }

    @Override
    public void wipe(Path folder) {
        launcher.wipe(folder, rootless());
    }

    private static boolean rootless() {
        return Home.uid() != 0;
    }
}
