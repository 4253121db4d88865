package dev.cortex.sandbox.event;

import dev.cortex.sandbox.SandboxId;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Tells subscribers what happens. Publishing never blocks: each subscriber has a bounded queue and a thread of its own,
 * and one that is too slow loses events and is told so by a {@link SandboxEvent#GAP}. Thread-safe.
 */
public final class EventBus implements AutoCloseable {
    /** A burst of creates and their sessions fits; a subscriber that is a thousand events behind will not catch up. */
    private static final int QUEUE = 1_024;

    private final Clock clock;
    private final AtomicLong sequence = new AtomicLong();
    private final Map<String, LongAdder> kinds = new ConcurrentHashMap<>();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    public EventBus(Clock clock) {
        this.clock = clock;
    }

    public void publish(String kind, SandboxId sandbox, String name, Optional<String> session, String detail) {
        kinds.computeIfAbsent(kind, any -> new LongAdder()).increment();
        SandboxEvent event = new SandboxEvent(
                sequence.incrementAndGet(), clock.instant(), kind, Optional.of(sandbox), name, session, detail);
        subscriptions.forEach(subscription -> subscription.offer(event));
    }

    /** How many there were of each kind, whoever listened. */
    public Map<String, Long> totals() {
        return kinds.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().sum()));
    }

    /** Calls {@code to} on a thread of its own, one event after the other, until the result is closed or it throws. */
    public AutoCloseable subscribe(Consumer<SandboxEvent> to) {
        Subscription subscription = new Subscription(to);
        subscriptions.add(subscription);
        Thread.ofVirtual().name("events").start(subscription::deliver);
        return subscription;
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
    }

    private final class Subscription implements AutoCloseable {
        private final Consumer<SandboxEvent> to;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<SandboxEvent> queue = new ArrayDeque<>();
        private long lost;
        private boolean closed;

        Subscription(Consumer<SandboxEvent> to) {
            this.to = to;
        }

        void offer(SandboxEvent event) {
            lock.lock();
            try {
                // Once something is lost everything is, until the queue has run empty: one gap instead of many.
                if (lost > 0 || queue.size() >= QUEUE) {
                    lost++;
                } else {
                    queue.add(event);
                }
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        void deliver() {
            try {
                for (Optional<SandboxEvent> next = take(); next.isPresent(); next = take()) {
                    to.accept(next.get());
                }
            } catch (RuntimeException e) {
                // The subscriber's own trouble, such as a connection that is gone, ends its subscription alone.
                System.getLogger(EventBus.class.getName()).log(System.Logger.Level.DEBUG, "subscriber ended", e);
            } finally {
                close();
            }
        }

        private Optional<SandboxEvent> take() {
            lock.lock();
            try {
                while (queue.isEmpty() && lost == 0 && !closed) {
                    changed.awaitUninterruptibly();
                }
                if (closed) {
                    return Optional.empty();
                }
                SandboxEvent next = queue.poll();
                return Optional.of(next == null ? gap() : next);
            } finally {
                lock.unlock();
            }
        }

        private SandboxEvent gap() {
            String detail = lost + " events lost";
            lost = 0;
            return new SandboxEvent(
                    sequence.get(), clock.instant(), SandboxEvent.GAP, Optional.empty(), "", Optional.empty(), detail);
        }

        @Override
        public void close() {
            subscriptions.remove(this);
            lock.lock();
            try {
                closed = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
