package dev.cortex.cli.copy;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.http.Upload;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.util.Base64;
import java.util.Optional;

/** The file operations of the daemon. */
final class SandboxFiles {
    private final Daemon daemon;
    private final Optional<String> user;

    SandboxFiles(Daemon daemon, Optional<String> user) {
        this.daemon = daemon;
        this.user = user;
    }

    /** What is there, behind a final link; empty where nothing is. */
    Optional<Json> stat(Place.Inside place) {
        try {
            return Optional.of(daemon.call(at(Operations.FILE_STAT, place).query("follow", "true")));
        } catch (CortexException e) {
            if (e.code() == ErrorCode.NOT_FOUND && isThere(place.sandbox())) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * The same code says that a path or its sandbox is not there.
     *
     * @throws CortexException when it is the sandbox
     */
    private boolean isThere(String sandbox) {
        daemon.call(Request.of(Operations.INSPECT, sandbox));
        return true;
    }

    static boolean isFolder(Json entry) {
        return entry.get("type").text().equals("directory");
    }

    Upload write(Place.Inside place, Optional<Long> length, Optional<Integer> mode) {
        Request request = at(Operations.FILE_WRITE, place);
        if (mode.isPresent()) {
            request.query("mode", Integer.toOctalString(mode.get()));
        }
        return daemon.upload(request, length);
    }

    Upload unpack(Place.Inside folder) {
        return daemon.upload(at(Operations.ARCHIVE_WRITE, folder), Optional.empty());
    }

    Daemon.Download read(Place.Inside place) {
        return daemon.download(at(Operations.FILE_READ, place));
    }

    Daemon.Download pack(Place.Inside folder) {
        return daemon.download(at(Operations.ARCHIVE_READ, folder));
    }

    void makeFolder(Place.Inside place) {
        if (!place.path().isText()) {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED,
                    "a folder whose name is not UTF-8 cannot be made by name: " + place,
                    "copy the folder above it, or make it first: cortex exec " + place.sandbox() + " -- mkdir …");
        }
        Json.Building request = Json.object().put("path", place.path().text()).put("user", user);
        daemon.call(Request.of(Operations.FILE_MKDIR, place.sandbox()).json(JsonText.write(request.build())));
    }

    private Request at(Operation<?, ?> operation, Place.Inside place) {
        Request request = Request.of(operation, place.sandbox());
        Word path = place.path();
        if (path.isText()) {
            request.query("path", path.text());
        } else {
            request.query("path_b64", Base64.getEncoder().encodeToString(path.bytes()));
        }
        user.ifPresent(name -> request.query("user", name));
        return request;
    }
}
