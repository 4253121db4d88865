package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.image.ImageStore;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.testkit.store.ImageStoreContract;
import dev.cortex.testkit.store.Rows;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    @Test
    void anImageOfASandboxThatIsStartedAheadStaysUntilThatHasGone() {
        images().save(image('a', 1), List.of("app"));
        images().save(image('b', 1), List.of());
        SpareRow named = ahead(digest('a'));
        SpareRow nameless = ahead(digest('b'));
        assertThat(images().entry(digest('a')).orElseThrow().users()).isEmpty();
        assertThat(images().removeUnused(digest('a'))).hasSize(1);
        assertThat(images().removeUnneeded(digest('b'))).isFalse();
        store.spares().remove(named.id());
        store.spares().remove(nameless.id());
        assertThat(images().removeUnused(digest('a'))).isEmpty();
        assertThat(images().removeUnneeded(digest('b'))).isTrue();
    }

    private SpareRow ahead(String digest) {
        SpareKind usual = Rows.spareKind();
        SpareKind kind = new SpareKind(
                usual.driver(), usual.runtime(), "app", digest, usual.root(), usual.limits(), usual.rights());
        return store.spares().insert(SpareRow.begun(Rows.id(), kind, "build", "boot", Rows.NOON));
    }
}
