package dev.cortex.images;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes the skeleton of the image {@code host}: links into usr, empty folders, and an etc of copies. Copies, never
 * links to the machine's files, so that what a sandbox sees is what was copied.
 */
final class HostSkeleton {
    /** Folders that are links into usr on most machines, and real ones on some. */
    private static final List<String> MERGED = List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");

    private static final List<String> EMPTY = List.of(
            "boot",
            "dev",
            "etc",
            "home",
            "media",
            "mnt",
            "opt",
            "proc",
            "root",
            "run",
            "srv",
            "sys",
            "tmp",
            "usr",
            "var",
            "var/cache",
            "var/lib",
            "var/local",
            "var/log",
            "var/mail",
            "var/opt",
            "var/spool",
            "var/tmp");

    private static final Map<String, String> LINKS =
            Map.of("var/run", "/run", "var/lock", "/run/lock", "etc/mtab", "../proc/self/mounts");

    private static final Map<String, String> GENERATED = Map.of(
            "etc/passwd", HostAccounts.passwd(),
            "etc/group", HostAccounts.group(),
            "etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n",
            "etc/hostname", "sandbox\n",
            // No dns: there is no server to ask, and a lookup of an unknown name fails at once.
            "etc/nsswitch.conf",
                    "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
                            + "protocols: files\nservices: files\nethers: files\nrpc: files\n",
            "etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
            "etc/machine-id", "",
            "etc/fstab", "");

    private final Path root;

    /** @param root {@code /}, or what stands for it in a test */
    HostSkeleton(Path root) {
        this.root = root;
    }

    /** The folders of the machine that are shown whole: usr, and what is not merged into it. */
    List<Path> shown() {
        List<Path> shown = new ArrayList<>(List.of(root.resolve("usr")));
        for (String name : MERGED) {
            if (Files.isDirectory(root.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                shown.add(root.resolve(name));
            }
        }
        return shown;
    }

    void write(HostFiles files, Path target) throws IOException {
        for (String name : EMPTY) {
            Files.createDirectory(target.resolve(name));
            permit(target.resolve(name), "rwxr-xr-x");
        }
        permit(target.resolve("root"), "rwx------");
        Files.setAttribute(target.resolve("tmp"), "unix:mode", 01777);
        Files.setAttribute(target.resolve("var/tmp"), "unix:mode", 01777);
        for (String name : MERGED) {
            merge(name, target);
        }
        for (Map.Entry<String, String> link : LINKS.entrySet()) {
            Files.createSymbolicLink(target.resolve(link.getKey()), Path.of(link.getValue()));
        }
        for (HostFiles.Entry entry : files.entries()) {
            copy(entry, target.resolve(root.relativize(entry.path()).toString()));
        }
        for (Map.Entry<String, String> file : GENERATED.entrySet()) {
            Path path = target.resolve(file.getKey());
            Files.writeString(path, file.getValue(), StandardCharsets.UTF_8);
            permit(path, "rw-r--r--");
        }
    }

    private void merge(String name, Path target) throws IOException {
        Path original = root.resolve(name);
        if (Files.isSymbolicLink(original)) {
            Files.createSymbolicLink(target.resolve(name), Files.readSymbolicLink(original));
        } else if (Files.isDirectory(original)) {
            Files.createDirectory(target.resolve(name));
            permit(target.resolve(name), "rwxr-xr-x");
        }
    }

    private static void copy(HostFiles.Entry entry, Path to) throws IOException {
        makeParent(to);
        if (entry.attributes().isDirectory()) {
            makeFolder(to);
        } else if (entry.attributes().isSymbolicLink()) {
            Files.createSymbolicLink(to, Files.readSymbolicLink(entry.path()));
        } else {
            Files.write(to, Files.readAllBytes(entry.path()));
            permit(
                    to,
                    entry.attributes().permissions().contains(PosixFilePermission.OTHERS_EXECUTE)
                            ? "rwxr-xr-x"
                            : "rw-r--r--");
            Files.setLastModifiedTime(to, entry.attributes().lastModifiedTime());
        }
    }

    private static void makeParent(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            makeFolder(parent);
        }
    }

    private static void makeFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            makeParent(folder);
            Files.createDirectory(folder);
            permit(folder, "rwxr-xr-x");
        }
    }

    /** Whatever the daemon's umask is. */
    private static void permit(Path path, String mode) throws IOException {
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString(mode);
        Files.setPosixFilePermissions(path, permissions);
    }
}
