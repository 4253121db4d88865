package dev.cortex.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SpareRow;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store must do. A store joins by extending this with a way to open it. */
public abstract class SandboxStoreContract {
    @TempDir
    protected Path home;

    private SandboxStore store;

    /** Opens the store of that home, or opens it again. */
    protected abstract SandboxStore open(Path home);

    @BeforeEach
    void openStore() {
        store = open(home);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private void reopen() {
        store.close();
        store = open(home);
    }

    @Test
    void theHomeKeepsItsId() {
        var first = store.homeId();
        reopen();
        assertThat(store.homeId()).isEqualTo(first);
    }

    @Test
    void aRecordComesBackAsItWasWritten() {
        SandboxRow placed = insert("api");
        SandboxRow row = placed.held(
                        new Handle("oci", 3, placed.id(), "{\"pid\":4}"), GuestToken.random(new SecureRandom()), "boot")
                .running(Rows.NOON);
        store.update(row);
        reopen();
        assertThat(store.find(row.id())).contains(row);
        assertThat(store.findByName("api")).contains(row);
        assertThat(store.findByCreateKey("key-of-api")).contains(row);
        assertThat(store.findByCreateKey("key-of-web")).isEmpty();
    }

    @Test
    void aRecordIsBornTogetherWithTheIntentOfItsCreation() {
        SandboxRow row = insert("api");
        reopen();
        assertThat(store.intent(row.id())).map(Intent::kind).contains(Intent.Kind.CREATE);
        assertThat(store.intents()).hasSize(1);
    }

    @Test
    void anIntentEndsTogetherWithTheChangeThatItAnnounced() {
        SandboxRow row = insert("api");
        store.complete(row.running(Rows.NOON));
        reopen();
        assertThat(store.intents()).isEmpty();
        assertThat(store.find(row.id())).contains(row.running(Rows.NOON));
    }

    @Test
    void anUpdateLeavesTheIntentAlone() {
        SandboxRow row = insert("api");
        store.update(row.released("a reason"));
        assertThat(store.intent(row.id())).isPresent();
    }

    @Test
    void aLaterIntentTakesThePlaceOfTheEarlierOne() {
        SandboxRow row = insert("api");
        store.begin(new Intent(row.id(), Intent.Kind.REMOVE, Rows.NOON));
        assertThat(store.intents()).extracting(Intent::kind).containsExactly(Intent.Kind.REMOVE);
    }

    @Test
    void aNameIsTakenOnce() {
        insert("api");
        assertThatThrownBy(() -> insert("api"))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS));
        assertThat(store.intents()).hasSize(1);
    }

    @Test
    void aNameIsFreeAgainOnceItsRecordIsRemoved() {
        store.remove(insert("api").id(), false);
        assertThat(store.intents()).isEmpty();
        assertThat(insert("api").name()).isEqualTo("api");
    }

    @Test
    void slotsAreTheLowestThatAreFree() {
        SandboxRow a = insert("a");
        SandboxRow b = insert("b");
        SandboxRow c = insert("c");
        assertThat(List.of(a.slot(), b.slot(), c.slot())).containsExactly(0, 1, 2);
        store.remove(b.id(), false);
        assertThat(insert("d").slot()).isEqualTo(1);
        assertThat(insert("e").slot()).isEqualTo(3);
    }

    @Test
    void slotsOfSandboxesMadeAtOnceAreDifferent() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slots = IntStream.range(0, 20)
                    .mapToObj(i -> threads.submit(() -> {
                        go.await();
                        return insert("n" + i).slot();
                    }))
                    .toList();
            go.countDown();
            for (var slot : slots) {
                slot.get();
            }
        }
        assertThat(store.list("", 100).stream().map(SandboxRow::slot))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20).boxed().toList());
    }

    @Test
    void listsAreByNameAndPage() {
        for (String name : List.of("c", "a", "d", "b")) {
            insert(name);
        }
        assertThat(store.list("", 3)).extracting(SandboxRow::name).containsExactly("a", "b", "c");
        assertThat(store.list("c", 3)).extracting(SandboxRow::name).containsExactly("d");
        assertThat(store.list("d", 3)).isEmpty();
        assertThat(store.count()).isEqualTo(4);
    }

    @Test
    void aRecordThatIsGoneCannotBeWritten() {
        SandboxRow row = insert("api");
        store.remove(row.id(), false);
        assertThatThrownBy(() -> store.update(row)).isInstanceOf(CortexException.class);
        assertThat(store.find(row.id())).isEmpty();
    }

    @Test
    void aDiskOutlivesItsRecordUnlessItIsForgotten() {
        SandboxRow row = insert("api");
        store.saveDisk(disk("api"));
        store.remove(row.id(), false);
        reopen();
        assertThat(store.disk("api")).contains(disk("api"));

        SandboxRow again = insert("api");
        store.remove(again.id(), true);
        assertThat(store.disk("api")).isEmpty();
    }

    @Test
    void aDiskCanBeForgottenByItsName() {
        store.saveDisk(disk("api"));
        store.saveDisk(disk("web"));
        store.forgetDisk("api");
        assertThat(store.disks()).containsExactly(disk("web"));
    }

    @Test
    void nothingIsDamagedInAWholeStore() {
        insert("api");
        store.saveDisk(disk("api"));
        assertThat(store.damaged()).isEmpty();
    }

    protected final SandboxRow insert(String name) {
        SandboxRow row = Rows.row(name);
        return store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
    }

    private static DiskRow disk(String name) {
        return new DiskRow(name, "folder-of-" + name, "oci", "host", "", false, 5L << 30, Rows.NOON);
    }

    private SpareRow spare() {
        return store.spares().insert(SpareRow.begun(Rows.id(), Rows.spareKind(), "build", "boot", Rows.NOON));
    }

    @Test
    void aSpareComesBackAsItWasWrittenAndIsNoSandbox() {
        SpareRow row = spare();
        SpareRow mine = row.held(new Handle("oci", 2, row.id(), "{\"pid\":1}"));
        store.spares().update(mine);
        reopen();
        assertThat(store.spares().all()).containsExactly(mine);
        assertThat(store.count()).isZero();
        assertThat(store.list("", 9)).isEmpty();
        store.spares().remove(mine.id());
        assertThat(store.spares().all()).isEmpty();
    }

    @Test
    void sparesAndSandboxesShareTheSlots() {
        assertThat(insert("one").slot()).isZero();
        SpareRow spare = spare();
        assertThat(spare.slot()).isEqualTo(1);
        assertThat(insert("two").slot()).isEqualTo(2);
        store.spares().remove(spare.id());
        assertThat(spare().slot()).isEqualTo(1);
    }

    @Test
    void aSpareBecomesASandboxInOneStep() {
        SpareRow spare = spare();
        SandboxRow row = SandboxRow.created(spare.id(), "api", Rows.settings("api"), "", Rows.NOON);
        DiskRow disk = new DiskRow("api", spare.id().value(), "oci", "host", "", false, 0, Rows.NOON);
        SandboxRow claimed = store.spares().claim(row, disk, new Intent(spare.id(), Intent.Kind.CREATE, Rows.NOON));
        assertThat(claimed).isEqualTo(row.at(spare.slot()));
        reopen();
        assertThat(store.spares().all()).isEmpty();
        assertThat(store.findByName("api")).contains(claimed);
        assertThat(store.disk("api")).contains(disk);
        assertThat(store.intent(spare.id())).map(Intent::kind).contains(Intent.Kind.CREATE);
    }

    @Test
    void aClaimThatFailsChangesNothing() {
        insert("api");
        SpareRow spare = spare();
        SandboxRow row = SandboxRow.created(spare.id(), "api", Rows.settings("other"), "", Rows.NOON);
        DiskRow disk = new DiskRow("other", spare.id().value(), "oci", "host", "", false, 0, Rows.NOON);
        Intent intent = new Intent(spare.id(), Intent.Kind.CREATE, Rows.NOON);
        assertThatThrownBy(() -> store.spares().claim(row, disk, intent)).hasMessageContaining("the name api is taken");
        assertThat(store.spares().all()).containsExactly(spare);
        assertThat(store.disk("other")).isEmpty();
        assertThat(store.intent(spare.id())).isEmpty();
        store.spares().remove(spare.id());
        SandboxRow late = SandboxRow.created(spare.id(), "late", Rows.settings("late"), "", Rows.NOON);
        assertThatThrownBy(() -> store.spares().claim(late, disk, intent)).hasMessageContaining("there is no spare");
        assertThat(store.findByName("late")).isEmpty();
    }
}
