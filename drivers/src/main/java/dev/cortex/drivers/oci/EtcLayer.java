package dev.cortex.drivers.oci;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.StartRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The layer above every image that says who this sandbox is and that it has no network. A layer, not mounted files: what
 * lies in it can be replaced inside, and no path of the host shows in the sandbox's mounts.
 */
final class EtcLayer {
    private EtcLayer() {}

    /** Writes the layer into the sandbox's folder and returns it. */
    static Path write(StartRequest request) {
        Path layer = layer(request.folder());
        try {
            makeFolder(layer);
            makeFolder(layer.resolve("etc"));
            for (Map.Entry<String, String> file : files(request.hostname()).entrySet()) {
                Path path = layer.resolve("etc").resolve(file.getKey());
                Files.writeString(path, file.getValue());
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
            }
            return layer;
        } catch (IOException e) {
            throw failed(layer, e);
        }
    }

    /**
     * Fills the files of a sandbox that was started without a name, in place: the overlay above them has looked at none of
     * them yet, since nothing that could read them has run, and passes reading on to the file itself. They are empty until
     * then, since a file system may write one out at once that was cut.
     */
    static void name(Path folder, String hostname) {
        Path layer = layer(folder);
        try {
            for (Map.Entry<String, String> file : ofName(hostname).entrySet()) {
                Files.writeString(
                        layer.resolve("etc").resolve(file.getKey()), file.getValue(), StandardOpenOption.WRITE);
            }
        } catch (IOException e) {
            throw failed(layer, e);
        }
    }

    private static Path layer(Path folder) {
        return folder.resolve("etc-layer");
    }

    private static CortexException failed(Path layer, IOException e) {
        return CortexException.of(
                        ErrorCode.DRIVER_FAILED,
                        "the sandbox's own files could not be written to " + layer,
                        "look at the owner and the free space of that folder")
                .because(e);
    }

    static Map<String, String> files(Optional<String> hostname) {
        Map<String, String> files =
                new HashMap<>(hostname.map(EtcLayer::ofName).orElse(Map.of("hostname", "", "hosts", "")));
        // Nothing listens there, so that a lookup is refused at once instead of waiting for an answer.
        files.put("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
        return files;
    }

    private static Map<String, String> ofName(String hostname) {
        return Map.of(
                "hostname", hostname + "\n",
                "hosts",
                        "127.0.0.1\tlocalhost\n127.0.1.1\t" + hostname
                                + "\n::1\tlocalhost ip6-localhost ip6-loopback\n");
    }

    private static void makeFolder(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
