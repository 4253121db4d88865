package dev.cortex.storage;

import dev.cortex.sandbox.image.ImageStore;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.testkit.store.ImageStoreContract;
import dev.cortex.testkit.store.Rows;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

final class SqliteImagesTest extends ImageStoreContract {
    @TempDir
    private Path home;

    private SqliteStore store;

    @BeforeEach
    void openStore() {
        store = SqliteStore.open(home.resolve("cortex.db"));
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Override
    protected ImageStore images() {
        return store.images();
    }

    @Override
    protected void use(String sandbox, String digest) {
        SandboxSettings s = Rows.settings(sandbox);
        SandboxSettings settings = new SandboxSettings(
                s.driver(),
                s.runtime(),
                "app",
                digest,
                s.limits(),
                s.environment(),
                s.labels(),
                s.user(),
                s.workdir(),
                s.removeOnExit(),
                s.disk(),
                s.createKey(),
                s.terms());
        SandboxRow row = SandboxRow.created(Rows.id(), sandbox, settings, "", Rows.NOON);
        store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
        store.saveDisk(new DiskRow(sandbox, row.id().value(), "oci", "app", digest, false, 0, Rows.NOON));
    }

    @Override
    protected void leave(String sandbox) {
        store.remove(store.findByName(sandbox).orElseThrow().id(), false);
    }
}
