package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.images.ImageLibrary;
import dev.cortex.protocol.api.Prune;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.service.Orphans;
import dev.cortex.sandbox.service.Pruning;
import dev.cortex.sandbox.service.SandboxService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Removes what no sandbox needs, a dry run first. */
final class PruneHandlers {
    private static final System.Logger LOG = System.getLogger(PruneHandlers.class.getName());

    private final SandboxService sandboxes;
    private final ImageLibrary images;

    PruneHandlers(SandboxService sandboxes, ImageLibrary images) {
        this.sandboxes = sandboxes;
        this.images = images;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.PRUNE, (Handler.Json<Prune.Request, Prune.Result>) this::prune);
    }

    private Prune.Result prune(Call<Prune.Request> call) {
        boolean apply = call.request().apply().orElse(false);
        boolean withDisks = call.request().disks().orElse(false);
        boolean withImages = call.request().images().orElse(false);
        Pruning pruning = sandboxes.pruning();
        Orphans.Found found = pruning.look();
        List<Prune.Disk> disks = disks(pruning, found);
        // Before a disk goes: an image that goes has been told of by the dry run.
        UnneededImages unneeded = UnneededImages.of(images);
        List<String> left = new ArrayList<>(apply ? pruning.apply(found, withDisks) : List.of());
        if (apply && withImages) {
            unneeded.images().forEach(image -> sandboxes.spares().leave(image.digest()));
            unneeded = unneeded.removed(left);
        }
        List<String> unsure = new ArrayList<>(found.unsure());
        unsure.addAll(unneeded.unsure());
        return new Prune.Result(apply, orphans(found), disks, unneeded.images(), unneeded.layers(), unsure, left);
    }

    static List<Prune.Orphan> orphans(Orphans.Found found) {
        return found.orphans().stream()
                .map(orphan -> new Prune.Orphan(orphan.sandbox().value(), orphan.what()))
                .toList();
    }

    private List<Prune.Disk> disks(Pruning pruning, Orphans.Found found) {
        List<Prune.Disk> disks = new ArrayList<>();
        pruning.keptDisks()
                .forEach(disk -> disks.add(new Prune.Disk(
                        disk.name(),
                        sandboxes.diskFolder(disk).toString(),
                        measured(() -> sandboxes.diskUsage(disk)))));
        SandboxDriver driver = sandboxes.drivers().all().getFirst();
        found.disks()
                .forEach(folder ->
                        disks.add(new Prune.Disk("", folder.toString(), measured(() -> driver.diskUsage(folder)))));
        return disks;
    }

    /** One disk that cannot be read keeps nobody from removing the others, or itself. */
    private static Optional<Long> measured(LongSupplier disk) {
        try {
            return Optional.of(disk.getAsLong());
        } catch (CortexException e) {
            LOG.log(System.Logger.Level.WARNING, "a disk could not be measured", e);
            return Optional.empty();
        }
    }
}
