package dev.cortex.perimeter;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.perimeter.Decision;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who wants to hear of decisions as they come. One that is too slow loses the oldest. Thread-safe. */
final class Followers {
    private static final int QUEUE = 256;

    private final List<Follower> all = new CopyOnWriteArrayList<>();

    AutoCloseable add(SandboxId sandbox, Consumer<Decision> to) {
        Follower follower = new Follower(sandbox, to);
        all.add(follower);
        follower.thread.start();
        return follower;
    }

    void tell(SandboxId sandbox, Decision decision) {
        all.forEach(follower -> follower.offer(sandbox, decision));
    }

    void close() {
        all.forEach(Follower::close);
    }

    private final class Follower implements AutoCloseable {
        private final SandboxId sandbox;
        private final Consumer<Decision> to;
        private final BlockingQueue<Decision> queue = new ArrayBlockingQueue<>(QUEUE);
        private final Thread thread = Thread.ofVirtual().name("egress-log").unstarted(this::deliver);

        Follower(SandboxId sandbox, Consumer<Decision> to) {
            this.sandbox = sandbox;
            this.to = to;
        }

        void offer(SandboxId of, Decision decision) {
            if (of.equals(sandbox)) {
                while (!queue.offer(decision)) {
                    queue.poll();
                }
            }
        }

        private void deliver() {
            try {
                while (true) {
                    to.accept(queue.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                // The follower's own trouble, such as a connection that is gone, ends its following alone.
                System.getLogger("dev.cortex.perimeter").log(System.Logger.Level.DEBUG, "a follower ended", e);
            } finally {
                all.remove(this);
            }
        }

        @Override
        public void close() {
            all.remove(this);
            thread.interrupt();
        }
    }
}
