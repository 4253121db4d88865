package dev.cortex.protocol.operation;

import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Egress;
import dev.cortex.protocol.api.EgressChange;
import dev.cortex.protocol.api.EgressDecision;
import dev.cortex.protocol.api.Exec;
import dev.cortex.protocol.api.Files;
import dev.cortex.protocol.api.Images;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.Prune;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.SessionView;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.api.Usage;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Method;
import dev.cortex.protocol.operation.Operation.Parameter;
import dev.cortex.protocol.operation.Operation.Scope;
import java.util.List;

/** The table of operations. {@code {sandbox}} in a path is a name or an id. */
public final class Operations {
    private Operations() {}

    /** What every path begins with. */
    public static final String PREFIX = "/api/v1";

    /** The protocol that an upgrade to raw frames names. */
    public static final String FRAMES = "cortex-frames";

    /** Response header on every answer: the build version of the daemon. */
    public static final String VERSION_HEADER = "Cortex-Version";

    /** Response header of an upgrade: the session's id. */
    public static final String SESSION_HEADER = "Cortex-Session";

    private static final Parameter PATH =
            new Parameter("path", "string", false, "path inside; or path_b64, byte for byte");
    private static final Parameter PATH_B64 = new Parameter("path_b64", "string", false, "the path in base64");
    private static final Parameter USER =
            new Parameter("user", "string", false, "whose rights; default the sandbox's user");

    public static final Operation<Void, Daemon.Health> HEALTH = json(
            "daemon.health",
            Method.GET,
            "/health",
            Void.class,
            Daemon.Health.class,
            Scope.READ,
            "Whether the daemon serves, and what it is");
    public static final Operation<Void, Daemon.Readiness> READINESS = json(
            "daemon.readiness",
            Method.GET,
            "/readiness",
            Void.class,
            Daemon.Readiness.class,
            Scope.READ,
            "Which drivers are ready, and what the others miss");
    public static final Operation<Void, Usage> USAGE = json(
            "daemon.usage",
            Method.GET,
            "/usage",
            Void.class,
            Usage.class,
            Scope.READ,
            "What machine, pool, sandboxes and disks take and have been promised");
    public static final Operation<Void, Daemon.Event> EVENTS = new Operation<>(
            "events.stream",
            Method.GET,
            "/events",
            List.of(new Parameter("sandbox", "string", false, "only this sandbox's")),
            Void.class,
            Daemon.Event.class,
            Body.EVENTS,
            Scope.READ,
            "What happens, as it happens");

    public static final Operation<CreateSandbox, SandboxView> CREATE = json(
            "sandbox.create",
            Method.POST,
            "/sandboxes",
            CreateSandbox.class,
            SandboxView.class,
            Scope.WRITE,
            "Make a sandbox and start it");
    public static final Operation<Void, Lifecycle.SandboxList> LIST = new Operation<>(
            "sandbox.list",
            Method.GET,
            "/sandboxes",
            List.of(
                    new Parameter("all", "boolean", false, "kept disks too"),
                    new Parameter("after", "string", false, "continue behind this name"),
                    new Parameter("most", "integer", false, "entries a page, 1 to 1,000, default 1,000")),
            Void.class,
            Lifecycle.SandboxList.class,
            Body.JSON,
            Scope.READ,
            "List sandboxes");
    public static final Operation<Void, SandboxView> INSPECT = json(
            "sandbox.inspect",
            Method.GET,
            "/sandboxes/{sandbox}",
            Void.class,
            SandboxView.class,
            Scope.READ,
            "Everything about one sandbox");
    public static final Operation<Void, SandboxView> START = json(
            "sandbox.start",
            Method.POST,
            "/sandboxes/{sandbox}/start",
            Void.class,
            SandboxView.class,
            Scope.WRITE,
            "Start a created or stopped sandbox");
    public static final Operation<Lifecycle.Stop, SandboxView> STOP = json(
            "sandbox.stop",
            Method.POST,
            "/sandboxes/{sandbox}/stop",
            Lifecycle.Stop.class,
            SandboxView.class,
            Scope.WRITE,
            "End its processes; its disk stays");
    public static final Operation<Void, SandboxView> PAUSE = json(
            "sandbox.pause",
            Method.POST,
            "/sandboxes/{sandbox}/pause",
            Void.class,
            SandboxView.class,
            Scope.WRITE,
            "Let it stand still with all its memory");
    public static final Operation<Void, SandboxView> RESUME = json(
            "sandbox.resume",
            Method.POST,
            "/sandboxes/{sandbox}/resume",
            Void.class,
            SandboxView.class,
            Scope.WRITE,
            "Let a paused sandbox go on where it was");
    public static final Operation<Void, SandboxView> RESET = json(
            "sandbox.reset",
            Method.POST,
            "/sandboxes/{sandbox}/reset",
            Void.class,
            SandboxView.class,
            Scope.WRITE,
            "Take away what a failure left: error becomes stopped");
    public static final Operation<Void, Lifecycle.Removed> REMOVE = new Operation<>(
            "sandbox.remove",
            Method.DELETE,
            "/sandboxes/{sandbox}",
            List.of(
                    new Parameter("force", "boolean", false, "stop it first"),
                    new Parameter("wipe", "boolean", false, "delete its disk too")),
            Void.class,
            Lifecycle.Removed.class,
            Body.JSON,
            Scope.WRITE,
            "Remove the record; a named disk stays");

    public static final Operation<Prune.Request, Prune.Result> PRUNE = json(
            "sandbox.prune",
            Method.POST,
            "/prune",
            Prune.Request.class,
            Prune.Result.class,
            Scope.WRITE,
            "Remove what no record knows, kept disks and unused images if asked; without apply, only say what would go");

    public static final Operation<Exec.Request, Exec.Result> EXEC = json(
            "session.exec",
            Method.POST,
            "/sandboxes/{sandbox}/exec",
            Exec.Request.class,
            Exec.Result.class,
            Scope.WRITE,
            "Run a command to its end");
    public static final Operation<StartSession, SessionView> SESSION_START = json(
            "session.start",
            Method.POST,
            "/sandboxes/{sandbox}/sessions",
            StartSession.class,
            SessionView.class,
            Scope.WRITE,
            "Start a session and return at once");
    public static final Operation<Void, Lifecycle.SessionList> SESSION_LIST = json(
            "session.list",
            Method.GET,
            "/sandboxes/{sandbox}/sessions",
            Void.class,
            Lifecycle.SessionList.class,
            Scope.READ,
            "Sessions of a sandbox, oldest first");
    public static final Operation<Void, SessionView> SESSION_STATUS = new Operation<>(
            "session.status",
            Method.GET,
            "/sandboxes/{sandbox}/sessions/{session}",
            List.of(new Parameter("wait_ms", "integer", false, "wait this long for its end, at most 60,000")),
            Void.class,
            SessionView.class,
            Body.JSON,
            Scope.READ,
            "One session; its id may be shortened");
    public static final Operation<Lifecycle.Signal, Lifecycle.Signaled> SESSION_SIGNAL = json(
            "session.signal",
            Method.POST,
            "/sandboxes/{sandbox}/sessions/{session}/signal",
            Lifecycle.Signal.class,
            Lifecycle.Signaled.class,
            Scope.WRITE,
            "Send a signal to a session");
    public static final Operation<Void, Daemon.Nothing> SESSION_REMOVE = json(
            "session.remove",
            Method.DELETE,
            "/sandboxes/{sandbox}/sessions/{session}",
            Void.class,
            Daemon.Nothing.class,
            Scope.WRITE,
            "Kill what is left of a session and forget its output");
    public static final Operation<Void, Exec.Result> SESSION_OUTPUT = new Operation<>(
            "session.output",
            Method.GET,
            "/sandboxes/{sandbox}/sessions/{session}/output",
            List.of(new Parameter("from", "integer", false, "cursor to begin at")),
            Void.class,
            Exec.Result.class,
            Body.JSON,
            Scope.READ,
            "The output that is kept, running or not");
    public static final Operation<StartSession, Void> SESSION_STREAM = new Operation<>(
            "session.stream",
            Method.POST,
            "/sandboxes/{sandbox}/stream",
            List.of(),
            StartSession.class,
            Void.class,
            Body.FRAMES,
            Scope.WRITE,
            "Start a session and upgrade to its frames in one step; the answer's Cortex-Session header is its id");
    public static final Operation<Void, Void> SESSION_ATTACH = new Operation<>(
            "session.attach",
            Method.GET,
            "/sandboxes/{sandbox}/sessions/{session}/attach",
            List.of(),
            Void.class,
            Void.class,
            Body.FRAMES,
            Scope.WRITE,
            "Upgrade to the frames of a session; the client's first frame is Handshake");

    public static final Operation<Void, Void> FORWARD = new Operation<>(
            "sandbox.forward",
            Method.GET,
            "/sandboxes/{sandbox}/forward",
            List.of(new Parameter("port", "integer", true, "TCP port of the sandbox's loopback, 1 to 65535")),
            Void.class,
            Void.class,
            Body.FRAMES,
            Scope.WRITE,
            "Connect to a port inside and upgrade to its frames: Data and Eof each way, Exit at the end; no Handshake");

    public static final Operation<Void, Void> FILE_READ = new Operation<>(
            "file.read",
            Method.GET,
            "/sandboxes/{sandbox}/files",
            List.of(
                    PATH,
                    PATH_B64,
                    USER,
                    new Parameter("offset", "integer", false, "first byte"),
                    new Parameter("length", "integer", false, "bytes, 0: to the end")),
            Void.class,
            Void.class,
            Body.DOWNLOAD,
            Scope.READ,
            "Read a file");
    public static final Operation<Void, Files.Entry> FILE_WRITE = new Operation<>(
            "file.write",
            Method.PUT,
            "/sandboxes/{sandbox}/files",
            List.of(
                    PATH,
                    PATH_B64,
                    USER,
                    new Parameter(
                            "offset", "integer", false, "write in place from this byte; absent: replace atomically"),
                    new Parameter("mode", "string", false, "permission bits in octal"),
                    new Parameter("parents", "boolean", false, "make missing folders")),
            Void.class,
            Files.Entry.class,
            Body.UPLOAD,
            Scope.WRITE,
            "Write a file");
    public static final Operation<Void, Void> ARCHIVE_READ = new Operation<>(
            "archive.read",
            Method.GET,
            "/sandboxes/{sandbox}/archive",
            List.of(PATH, PATH_B64, USER),
            Void.class,
            Void.class,
            Body.DOWNLOAD,
            Scope.READ,
            "A folder's entries as a tar");
    public static final Operation<Void, Daemon.Nothing> ARCHIVE_WRITE = new Operation<>(
            "archive.write",
            Method.PUT,
            "/sandboxes/{sandbox}/archive",
            List.of(
                    PATH,
                    PATH_B64,
                    USER,
                    new Parameter("keep_owners", "boolean", false, "owners as in the archive; root only")),
            Void.class,
            Daemon.Nothing.class,
            Body.UPLOAD,
            Scope.WRITE,
            "Unpack a tar beneath a folder");
    public static final Operation<Void, Files.Entry> FILE_STAT = new Operation<>(
            "file.stat",
            Method.GET,
            "/sandboxes/{sandbox}/files/stat",
            List.of(PATH, PATH_B64, USER, new Parameter("follow", "boolean", false, "follow a final link")),
            Void.class,
            Files.Entry.class,
            Body.JSON,
            Scope.READ,
            "What a path is");
    public static final Operation<Void, Files.Listing> FILE_LIST = new Operation<>(
            "file.list",
            Method.GET,
            "/sandboxes/{sandbox}/files/list",
            List.of(
                    PATH,
                    PATH_B64,
                    USER,
                    new Parameter("depth", "integer", false, "levels, default 1"),
                    new Parameter("after", "string", false, "continue behind this path"),
                    new Parameter("most", "integer", false, "entries a page, at most 10,000")),
            Void.class,
            Files.Listing.class,
            Body.JSON,
            Scope.READ,
            "A folder's entries");
    public static final Operation<Files.MakeDirectory, Files.Entry> FILE_MKDIR = json(
            "file.mkdir",
            Method.POST,
            "/sandboxes/{sandbox}/files/mkdir",
            Files.MakeDirectory.class,
            Files.Entry.class,
            Scope.WRITE,
            "Make a folder");
    public static final Operation<Files.Move, Files.Entry> FILE_MOVE = json(
            "file.move",
            Method.POST,
            "/sandboxes/{sandbox}/files/move",
            Files.Move.class,
            Files.Entry.class,
            Scope.WRITE,
            "Move or rename");
    public static final Operation<Void, Files.Removed> FILE_REMOVE = new Operation<>(
            "file.remove",
            Method.DELETE,
            "/sandboxes/{sandbox}/files",
            List.of(PATH, PATH_B64, USER, new Parameter("recursive", "boolean", false, "a folder with all in it")),
            Void.class,
            Files.Removed.class,
            Body.JSON,
            Scope.WRITE,
            "Remove a file or folder");
    public static final Operation<Void, Files.Resolved> FILE_RESOLVE = new Operation<>(
            "file.resolve",
            Method.GET,
            "/sandboxes/{sandbox}/files/resolve",
            List.of(PATH, PATH_B64, USER),
            Void.class,
            Files.Resolved.class,
            Body.JSON,
            Scope.READ,
            "A path without links, absolute");

    public static final Operation<Void, Files.Change> FILE_WATCH = new Operation<>(
            "file.watch",
            Method.GET,
            "/sandboxes/{sandbox}/files/watch",
            List.of(
                    PATH,
                    PATH_B64,
                    USER,
                    new Parameter("recursive", "boolean", false, "all folders beneath it too, the default")),
            Void.class,
            Files.Change.class,
            Body.EVENTS,
            Scope.READ,
            "Changes of a file or folder, as they happen");
    public static final Operation<Void, Egress> EGRESS_GET = json(
            "egress.get",
            Method.GET,
            "/sandboxes/{sandbox}/egress",
            Void.class,
            Egress.class,
            Scope.READ,
            "What a sandbox may reach");
    public static final Operation<EgressChange, Egress> EGRESS_SET = json(
            "egress.set",
            Method.POST,
            "/sandboxes/{sandbox}/egress",
            EgressChange.class,
            Egress.class,
            Scope.WRITE,
            "Change what a sandbox may reach, at once; connections that are not allowed any more are cut");
    public static final Operation<Void, EgressDecision.Page> EGRESS_LOG = new Operation<>(
            "egress.log",
            Method.GET,
            "/sandboxes/{sandbox}/egress/log",
            List.of(new Parameter("most", "integer", false, "the latest ones, 1 to 10,000, default 200")),
            Void.class,
            EgressDecision.Page.class,
            Body.JSON,
            Scope.READ,
            "What was decided about connections, oldest first");
    public static final Operation<Void, EgressDecision> EGRESS_FOLLOW = new Operation<>(
            "egress.follow",
            Method.GET,
            "/sandboxes/{sandbox}/egress/events",
            List.of(),
            Void.class,
            EgressDecision.class,
            Body.EVENTS,
            Scope.READ,
            "What is decided about connections, as it happens");

    private static final Parameter PATHS =
            new Parameter("paths", "string", false, "only these, one a line, and what lies beneath them");

    public static final Operation<Void, WorkspaceChanges> WORKSPACE_CHANGES = new Operation<>(
            "workspace.changes",
            Method.GET,
            "/sandboxes/{sandbox}/workspace/changes",
            List.of(PATHS),
            Void.class,
            WorkspaceChanges.class,
            Body.JSON,
            Scope.READ,
            "What changed in a workspace");
    public static final Operation<Void, Void> WORKSPACE_DIFF = new Operation<>(
            "workspace.diff",
            Method.GET,
            "/sandboxes/{sandbox}/workspace/diff",
            List.of(PATHS),
            Void.class,
            Void.class,
            Body.DOWNLOAD,
            Scope.READ,
            "The same as a patch that git apply takes");
    public static final Operation<ApplyWorkspace, WorkspaceApplied> WORKSPACE_APPLY = json(
            "workspace.apply",
            Method.POST,
            "/sandboxes/{sandbox}/workspace/apply",
            ApplyWorkspace.class,
            WorkspaceApplied.class,
            Scope.WRITE,
            "Bring the changes back to the folder, all or none");
    private static final Parameter IMAGE =
            new Parameter("image", "string", true, "its name, name@sha256:…, or the beginning of its digest");

    public static final Operation<Images.Import, Images.Image> IMAGE_IMPORT = json(
            "image.import",
            Method.POST,
            "/images/import",
            Images.Import.class,
            Images.Image.class,
            Scope.WRITE,
            "Take an image in from a file or folder of the daemon's machine");
    public static final Operation<Void, Images.Image> IMAGE_UPLOAD = new Operation<>(
            "image.upload",
            Method.PUT,
            "/images/upload",
            List.of(
                    new Parameter("name", "string", false, "name[:tag] for it; absent: those that it has"),
                    new Parameter("select", "string", false, "one image, where the archive has several"),
                    new Parameter(
                            "config", "string", false, "of a plain root file system: an OCI config object as JSON")),
            Void.class,
            Images.Image.class,
            Body.UPLOAD,
            Scope.WRITE,
            "Take an image in from an archive that is the request's body");
    public static final Operation<Void, Images.ImageList> IMAGE_LIST = new Operation<>(
            "image.list",
            Method.GET,
            "/images",
            List.of(
                    new Parameter("after", "string", false, "continue behind this digest"),
                    new Parameter("most", "integer", false, "entries a page, 1 to 1,000, default 1,000")),
            Void.class,
            Images.ImageList.class,
            Body.JSON,
            Scope.READ,
            "Images of the home, with who uses them");
    public static final Operation<Void, Images.Image> IMAGE_INSPECT = new Operation<>(
            "image.inspect",
            Method.GET,
            "/images/inspect",
            List.of(IMAGE),
            Void.class,
            Images.Image.class,
            Body.JSON,
            Scope.READ,
            "Everything about one image");
    public static final Operation<Void, Images.Removed> IMAGE_REMOVE = new Operation<>(
            "image.remove",
            Method.DELETE,
            "/images",
            List.of(IMAGE),
            Void.class,
            Images.Removed.class,
            Body.JSON,
            Scope.WRITE,
            "Remove an image that nothing uses, or one of its names");
    public static final Operation<Void, Images.Imports> IMAGE_IMPORTS = json(
            "image.imports",
            Method.GET,
            "/images/imports",
            Void.class,
            Images.Imports.class,
            Scope.READ,
            "Imports that go on, and how far they are");

    /** Every operation, in the order of the documentation. */
    public static List<Operation<?, ?>> all() {
        return List.of(
                HEALTH,
                READINESS,
                USAGE,
                EVENTS,
                CREATE,
                LIST,
                INSPECT,
                START,
                STOP,
                PAUSE,
                RESUME,
                RESET,
                REMOVE,
                PRUNE,
                EXEC,
                SESSION_START,
                SESSION_LIST,
                SESSION_STATUS,
                SESSION_SIGNAL,
                SESSION_REMOVE,
                SESSION_OUTPUT,
                SESSION_STREAM,
                SESSION_ATTACH,
                FORWARD,
                EGRESS_GET,
                EGRESS_SET,
                EGRESS_LOG,
                EGRESS_FOLLOW,
                FILE_READ,
                FILE_WRITE,
                ARCHIVE_READ,
                ARCHIVE_WRITE,
                FILE_STAT,
                FILE_LIST,
                FILE_MKDIR,
                FILE_MOVE,
                FILE_REMOVE,
                FILE_RESOLVE,
                FILE_WATCH,
                WORKSPACE_CHANGES,
                WORKSPACE_DIFF,
                WORKSPACE_APPLY,
                IMAGE_IMPORT,
                IMAGE_UPLOAD,
                IMAGE_LIST,
                IMAGE_INSPECT,
                IMAGE_REMOVE,
                IMAGE_IMPORTS);
    }

    private static <Q, R> Operation<Q, R> json(
            String name, Method method, String path, Class<Q> request, Class<R> response, Scope scope, String summary) {
        return new Operation<>(name, method, path, List.of(), request, response, Body.JSON, scope, summary);
    }
}
