package dev.cortex.protocol.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Asks for a sandbox. Settings are resolved on the client's side and travel here; what is absent gets the default.
 *
 * @param name 1 to 63 characters of a-z, 0-9 and '-'; absent: made up, and the disk then goes with the record
 * @param driver {@code auto} (default), {@code oci}, {@code process}
 * @param runtime the program beneath {@code oci}; absent: the strongest that passes its probe
 * @param image {@code host} (default), an image's name, {@code name@sha256:…} or digest, or the absolute path of a folder
 *     or archive on the daemon's machine
 * @param entrypoint in place of the image's, whose command then counts as little; empty: none
 * @param env base environment of its sessions, over the image's
 * @param start false leaves it {@code created}
 * @param removeOnExit the record goes when {@code primary} ends
 * @param primary the first session, started as soon as the sandbox is ready
 * @param allowInsecureProcess the caller's CORTEX_ALLOW_INSECURE_PROCESS=1
 * @param wipe delete a kept disk of that name first
 * @param rights what its sessions may be and call
 * @param mounts folders of the machine, shown live
 * @param workspace a folder that it gets a copy of
 * @param egress what it may reach outside; absent: nothing
 * @param lifetime how long it lives by itself; absent: until it is stopped
 */
public record CreateSandbox(
        Optional<String> name,
        Optional<String> driver,
        Optional<String> runtime,
        Optional<String> image,
        Optional<List<String>> entrypoint,
        Optional<Long> memoryBytes,
        Optional<Double> cpus,
        Optional<Long> processes,
        Optional<Long> diskBytes,
        Map<String, String> env,
        Map<String, String> labels,
        Optional<String> user,
        Optional<String> workdir,
        Optional<Boolean> start,
        Optional<Boolean> removeOnExit,
        Optional<StartSession> primary,
        Optional<Boolean> allowInsecureProcess,
        Optional<Boolean> wipe,
        Optional<Rights> rights,
        List<LiveMount> mounts,
        Optional<Workspace> workspace,
        Optional<Egress> egress,
        Optional<Lifetime> lifetime) {

    public CreateSandbox {
        entrypoint = entrypoint.map(List::copyOf);
        env = Map.copyOf(env);
        labels = Map.copyOf(labels);
        mounts = List.copyOf(mounts);
    }

    /** All defaults; the methods below say what differs. */
    public static CreateSandbox defaults() {
        return new Draft().done();
    }

    public CreateSandbox named(String newName) {
        return with(draft -> draft.name = Optional.of(newName));
    }

    public CreateSandbox on(String newDriver) {
        return with(draft -> draft.driver = Optional.of(newDriver));
    }

    public CreateSandbox from(String newImage) {
        return with(draft -> draft.image = Optional.of(newImage));
    }

    public CreateSandbox allowingInsecureProcess() {
        return with(draft -> draft.allowInsecureProcess = Optional.of(true));
    }

    /** A sandbox for one command: its record goes when that ends. */
    public CreateSandbox running(StartSession newPrimary) {
        return with(draft -> {
            draft.removeOnExit = Optional.of(true);
            draft.primary = Optional.of(newPrimary);
        });
    }

    /** The same request with what {@code change} sets. */
    public CreateSandbox with(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.name = name;
        draft.driver = driver;
        draft.runtime = runtime;
        draft.image = image;
        draft.entrypoint = entrypoint;
        draft.memoryBytes = memoryBytes;
        draft.cpus = cpus;
        draft.processes = processes;
        draft.diskBytes = diskBytes;
        draft.env = env;
        draft.labels = labels;
        draft.user = user;
        draft.workdir = workdir;
        draft.start = start;
        draft.removeOnExit = removeOnExit;
        draft.primary = primary;
        draft.allowInsecureProcess = allowInsecureProcess;
        draft.wipe = wipe;
        draft.rights = rights;
        draft.mounts = mounts;
        draft.workspace = workspace;
        draft.egress = egress;
        draft.lifetime = lifetime;
        change.accept(draft);
        return draft.done();
    }

    /** A request in the making; each field is the record's of that name. */
    public static final class Draft {
        public Optional<String> name = Optional.empty();
        public Optional<String> driver = Optional.empty();
        public Optional<String> runtime = Optional.empty();
        public Optional<String> image = Optional.empty();
        public Optional<List<String>> entrypoint = Optional.empty();
        public Optional<Long> memoryBytes = Optional.empty();
        public Optional<Double> cpus = Optional.empty();
        public Optional<Long> processes = Optional.empty();
        public Optional<Long> diskBytes = Optional.empty();
        public Map<String, String> env = Map.of();
        public Map<String, String> labels = Map.of();
        public Optional<String> user = Optional.empty();
        public Optional<String> workdir = Optional.empty();
        public Optional<Boolean> start = Optional.empty();
        public Optional<Boolean> removeOnExit = Optional.empty();
        public Optional<StartSession> primary = Optional.empty();
        public Optional<Boolean> allowInsecureProcess = Optional.empty();
        public Optional<Boolean> wipe = Optional.empty();
        public Optional<Rights> rights = Optional.empty();
        public List<LiveMount> mounts = List.of();
        public Optional<Workspace> workspace = Optional.empty();
        public Optional<Egress> egress = Optional.empty();
        public Optional<Lifetime> lifetime = Optional.empty();

        private Draft() {}

        private CreateSandbox done() {
            return new CreateSandbox(
                    name,
                    driver,
                    runtime,
                    image,
                    entrypoint,
                    memoryBytes,
                    cpus,
                    processes,
                    diskBytes,
                    env,
                    labels,
                    user,
                    workdir,
                    start,
                    removeOnExit,
                    primary,
                    allowInsecureProcess,
                    wipe,
                    rights,
                    mounts,
                    workspace,
                    egress,
                    lifetime);
        }
    }
}
