package dev.cortex.sandbox.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.SandboxIds;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class EventBusTest {
    private final EventBus bus = new EventBus(Clock.systemUTC());
    private final SandboxIds ids = new SandboxIds(Clock.systemUTC(), new SecureRandom());

    @Test
    void subscribersGetEventsInOrder() throws Exception {
        List<String> details = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(100);
        bus.subscribe(event -> {
            details.add(event.detail());
            all.countDown();
        });
        for (int i = 0; i < 100; i++) {
            publish(Integer.toString(i));
        }
        assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(details).hasSize(100).startsWith("0", "1").endsWith("99");
    }

    @Test
    void aSlowSubscriberLosesEventsAndIsToldSoAndBlocksNobody() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        List<SandboxEvent> slow = new CopyOnWriteArrayList<>();
        CountDownLatch gap = new CountDownLatch(1);
        bus.subscribe(event -> {
            await(go);
            slow.add(event);
            if (event.kind().equals(SandboxEvent.GAP)) {
                gap.countDown();
            }
        });
        for (int i = 0; i < 5_000; i++) {
            publish(Integer.toString(i));
        }
        go.countDown();
        assertThat(gap.await(30, TimeUnit.SECONDS)).isTrue();
        SandboxEvent told = slow.getLast();
        int lost = Integer.parseInt(told.detail().split(" ")[0]);
        assertThat(lost + slow.size() - 1).isEqualTo(5_000);
    }

    @Test
    void aSubscriberThatThrowsEndsAlone() throws Exception {
        CountDownLatch other = new CountDownLatch(2);
        bus.subscribe(event -> {
            throw new IllegalStateException("gone");
        });
        bus.subscribe(event -> other.countDown());
        publish("a");
        publish("b");
        assertThat(other.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void nothingComesAfterASubscriptionIsClosed() throws Exception {
        List<String> details = new CopyOnWriteArrayList<>();
        AutoCloseable subscription = bus.subscribe(event -> details.add(event.detail()));
        subscription.close();
        publish("late");
        assertThat(details).isEmpty();
    }

    private void publish(String detail) {
        bus.publish("test", ids.next(), "api", Optional.empty(), detail);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
