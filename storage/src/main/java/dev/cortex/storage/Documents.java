package dev.cortex.storage;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Life;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.sandbox.terms.Terms;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The persisted forms, apart from the core's records so that a change there does not change a file that exists. Each has
 * a version; one that is not known is an error of that row alone.
 */
final class Documents {
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private Documents() {}

    /** @param life absent in records from before there were pauses */
    record SandboxDocument(
            int version,
            SettingsDocument settings,
            String reason,
            String primary,
            Optional<HandleDocument> handle,
            String token,
            long generation,
            Instant created,
            Optional<Instant> started,
            Optional<Instant> stopped,
            Optional<LifeDocument> life) {
        static final int VERSION = 1;

        static SandboxDocument of(SandboxRow row) {
            return new SandboxDocument(
                    VERSION,
                    SettingsDocument.of(row.settings()),
                    row.reason(),
                    row.primary(),
                    row.handle().map(h -> new HandleDocument(h.driver(), h.version(), h.data())),
                    row.token().hex(),
                    row.generation(),
                    row.created(),
                    row.started(),
                    row.stopped(),
                    Optional.of(new LifeDocument(row.life().boot(), row.life().since())));
        }

        SandboxRow row(SandboxId id, String name, int slot, State state) {
            if (version != VERSION) {
                throw new IllegalArgumentException("a record of version " + version);
            }
            return new SandboxRow(
                    id,
                    name,
                    slot,
                    settings.settings(),
                    state,
                    reason,
                    primary,
                    handle.map(h -> new Handle(h.driver, h.version, id, h.data)),
                    new GuestToken(token),
                    generation,
                    created,
                    started,
                    stopped,
                    life.map(l -> new Life(l.boot, l.since)).orElse(Life.NONE));
        }
    }

    record LifeDocument(String boot, Optional<Instant> since) {}

    record HandleDocument(String driver, int version, String data) {}

    /** @param createKey absent in records from before schema 2; @param terms absent in records from before there were any */
    record SettingsDocument(
            String driver,
            String runtime,
            String image,
            String digest,
            long memoryBytes,
            double cpus,
            long processes,
            long diskBytes,
            Map<String, String> environment,
            Map<String, String> labels,
            String user,
            String workdir,
            boolean removeOnExit,
            String disk,
            Optional<String> createKey,
            Optional<TermsDocument> terms) {

        static SettingsDocument of(SandboxSettings s) {
            Limits limits = s.limits();
            return new SettingsDocument(
                    s.driver(),
                    s.runtime(),
                    s.image(),
                    s.digest(),
                    limits.memoryBytes(),
                    limits.cpus(),
                    limits.processes(),
                    limits.diskBytes(),
                    s.environment(),
                    s.labels(),
                    s.user(),
                    s.workdir(),
                    s.removeOnExit(),
                    s.disk(),
                    Optional.of(s.createKey()),
                    Optional.of(TermsDocument.of(s.terms())));
        }

        SandboxSettings settings() {
            return new SandboxSettings(
                    driver,
                    runtime,
                    image,
                    digest,
                    new Limits(memoryBytes, cpus, processes, diskBytes),
                    environment,
                    labels,
                    user,
                    workdir,
                    removeOnExit,
                    disk,
                    createKey.orElse(""),
                    terms.map(TermsDocument::terms).orElse(Terms.DEFAULT));
        }
    }

    record DiskDocument(
            int version,
            String folder,
            String driver,
            String image,
            String digest,
            boolean anonymous,
            Optional<Long> limitBytes,
            Instant created) {
        static final int VERSION = 1;

        static DiskDocument of(DiskRow disk) {
            return new DiskDocument(
                    VERSION,
                    disk.folder(),
                    disk.driver(),
                    disk.image(),
                    disk.digest(),
                    disk.anonymous(),
                    Optional.of(disk.limitBytes()),
                    disk.created());
        }

        DiskRow row(String name) {
            if (version != VERSION) {
                throw new IllegalArgumentException("a disk's record of version " + version);
            }
            return new DiskRow(name, folder, driver, image, digest, anonymous, limitBytes.orElse(0L), created);
        }
    }
}
