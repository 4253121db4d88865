package dev.cortex.testkit.fake;

import dev.cortex.sandbox.image.ImageStore;
import dev.cortex.testkit.store.ImageStoreContract;
import java.util.HashMap;
import java.util.Map;

/** The fake keeps the contract that the real store keeps. */
final class FakeImageStoreTest extends ImageStoreContract {
    private final FakeImageStore store = new FakeImageStore();
    private final Map<String, String> digests = new HashMap<>();

    @Override
    protected ImageStore images() {
        return store;
    }

    @Override
    protected void use(String sandbox, String digest) {
        digests.put(sandbox, digest);
        store.use(digest, sandbox);
    }

    @Override
    protected void leave(String sandbox) {
        String digest = digests.getOrDefault(sandbox, "");
        store.leave(digest);
        store.use(digest, "the kept disk " + sandbox);
    }
}
