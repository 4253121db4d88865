package dev.cortex.protocol.home;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A home folder, and the run folder that its daemon and its clients agree on without asking each other.
 *
 * <p>The run folder's name is short by construction, since a Unix socket's path holds 107 bytes: it carries the first
 * 8 hex digits of the SHA-256 of the home's absolute path. Two spellings of one folder through a symbolic link are two
 * homes here; the lock in the home itself then tells the second that it is owned elsewhere.
 *
 * @param folder absolute and normalised
 * @param runFolder absolute; lost at a reboot
 */
public record Home(Path folder, Path runFolder) {
    /** The longest path that a Unix socket's address can hold. */
    public static final int SOCKET_PATH_BYTES = 107;

    /** The home of this process: {@code CORTEX_HOME}, or the default of its user. */
    public static Home current() {
        return current(System.getenv(), uid(), System.getProperty("user.home", "/"));
    }

    /** The default of this process's user, whatever {@code CORTEX_HOME} says. */
    public static Home usual() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.remove("CORTEX_HOME");
        return current(environment, uid(), System.getProperty("user.home", "/"));
    }

    /** The home in that folder, for this process's user. */
    public static Home at(Path folder) {
        return at(folder, System.getenv(), uid());
    }

    static Home current(Map<String, String> environment, long uid, String userHome) {
        String named = environment.getOrDefault("CORTEX_HOME", "");
        if (!named.isEmpty()) {
            return at(Path.of(named), environment, uid);
        }
        // As a shell's ~ does; the JVM's own property knows the password file alone.
        String asked = environment.getOrDefault("HOME", "");
        Path own = Path.of(asked.startsWith("/") ? asked : userHome);
        return at(uid == 0 ? Path.of("/var/lib/cortex") : own.resolve(".local/share/cortex"), environment, uid);
    }

    static Home at(Path folder, Map<String, String> environment, long uid) {
        Path absolute = folder.toAbsolutePath().normalize();
        String name = digits(absolute);
        String runtimeDir = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        if (uid == 0) {
            return new Home(absolute, Path.of("/run/cortex", name));
        }
        if (!runtimeDir.isEmpty()) {
            return new Home(absolute, Path.of(runtimeDir, "cortex", name));
        }
        return new Home(absolute, Path.of("/tmp/cortex-" + uid, name));
    }

    /** Where the daemon listens for its owner. */
    public Path socket() {
        return runFolder.resolve("cortex.sock");
    }

    public Path log() {
        return folder.resolve("daemon.log");
    }

    public Path pidFile() {
        return folder.resolve("daemon.pid");
    }

    public Path token() {
        return folder.resolve("token");
    }

    public Path settings() {
        return folder.resolve("config.yaml");
    }

    public Path database() {
        return folder.resolve("cortex.db");
    }

    /** Programs of others that this home brought along, such as gVisor: they go before those in PATH. */
    public Path tools() {
        return folder.resolve("tools");
    }

    /**
     * Makes the home folder where it is missing, for its owner alone, as it holds the environments and tokens of
     * sandboxes. Whoever comes first makes it, so every client does it by this. One that exists is left as it is.
     */
    public void makeFolder() throws IOException {
        Files.createDirectories(folder, ownerAlone());
    }

    /**
     * Makes the run folder, 0700, with the folder above it.
     *
     * @throws CortexException DENIED when somebody else made one of them first, which in a shared folder such as /tmp
     *     could be an attack
     */
    public void makeRunFolder() {
        try {
            makePrivate(above());
            makePrivate(runFolder);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY,
                            "cannot make the run folder " + runFolder,
                            "make its parent writable, or set XDG_RUNTIME_DIR to a folder of yours")
                    .because(e);
        }
        requireOwn();
    }

    /**
     * Checks that whoever listens in the run folder is this user.
     *
     * @throws CortexException DENIED when the folder, or the one above it, belongs to somebody else; a run folder that
     *     does not exist passes
     */
    public void requireOwn() {
        requireOwn(above());
        requireOwn(runFolder);
    }

    private Path above() {
        Path parent = runFolder.getParent();
        return parent == null ? runFolder : parent;
    }

    private static void makePrivate(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(path, ownerAlone());
        } catch (FileAlreadyExistsException e) {
            // Made earlier; whose it is, requireOwn checks.
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> ownerAlone() {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    }

    private static void requireOwn(Path path) {
        try {
            int owner = (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            boolean folder = (mode & FILE_TYPE) == FOLDER;
            if (owner == uid() && folder && (mode & WRITABLE_BY_OTHERS) == 0) {
                return;
            }
        } catch (IOException e) {
            return;
        }
        throw CortexException.of(
                ErrorCode.DENIED,
                path + " is not a folder of yours alone",
                "remove it, or set XDG_RUNTIME_DIR to a folder of yours");
    }

    private static final int FILE_TYPE = 0170000;
    private static final int FOLDER = 0040000;
    private static final int WRITABLE_BY_OTHERS = 0022;

    private static String digits(Path folder) {
        return Sha256.firstDigits(folder.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The effective user of this process. */
    public static long uid() {
        return Uid.effective();
    }

    /** The path of the socket, where it fits into an address. */
    public Optional<Path> reachableSocket() {
        Path socket = socket();
        return socket.toString().getBytes(StandardCharsets.UTF_8).length <= SOCKET_PATH_BYTES
                ? Optional.of(socket)
                : Optional.empty();
    }
}
