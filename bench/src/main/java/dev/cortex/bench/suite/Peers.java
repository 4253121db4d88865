package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.DockerEngine;
import dev.cortex.bench.place.Grounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Other people's ways. */
final class Peers {
    private Peers() {}

    static Contender bubblewrap(Grounds grounds) throws IOException {
        if (!Files.isExecutable(Path.of("/usr/bin/bwrap"))) {
            throw new IOException("the package bubblewrap is not installed");
        }
        return Timed.toFirstByte(
                "bubblewrap",
                grounds.stopwatch(),
                List.of(
                        "/usr/bin/bwrap",
                        "--unshare-all",
                        "--die-with-parent",
                        "--new-session",
                        "--cap-drop",
                        "ALL",
                        "--ro-bind",
                        "/usr",
                        "/usr",
                        "--symlink",
                        "usr/bin",
                        "/bin",
                        "--symlink",
                        "usr/lib",
                        "/lib",
                        "--symlink",
                        "usr/lib64",
                        "/lib64",
                        "--proc",
                        "/proc",
                        "--dev",
                        "/dev",
                        "--tmpfs",
                        "/tmp",
                        Echo.PROGRAM,
                        Echo.WORD));
    }

    static Contender dockerRun(Grounds grounds) throws IOException, InterruptedException {
        DockerEngine docker = grounds.docker();
        return Timed.toFirstByte(
                "docker run", grounds.stopwatch(), docker.hardened(List.of("--rm"), Echo.PROGRAM, Echo.WORD));
    }

    static Contender dockerExec(Grounds grounds) throws IOException, InterruptedException {
        DockerEngine docker = grounds.docker();
        docker.sleeping("bench-exec");
        return Timed.toEnd("docker exec", grounds.stopwatch(), docker.command("exec", "bench-exec", "/bin/true"))
                .with(Map.of(), () -> docker.run("rm", "--force", "bench-exec"));
    }
}
