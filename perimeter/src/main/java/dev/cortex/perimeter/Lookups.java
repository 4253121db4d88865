package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lookups of names, each with a deadline. They run on platform threads of their own, because the C library's resolver
 * keeps a thread for as long as a name server likes: a sandbox that asks for names that nobody answers keeps only its share of them.
 */
final class Lookups implements AutoCloseable {
    /** Of one name. A name server is asked again after five seconds, by which time a program would give up. */
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private static final int THREADS = 64;
    private static final int THREADS_OF_A_SANDBOX = 4;
    private static final Duration THREAD_KEPT = Duration.ofSeconds(10);

    private final Resolver resolver;
    private final ExecutorService threads;

    Lookups(Resolver resolver) {
        this.resolver = resolver;
        this.threads = new ThreadPoolExecutor(
                0,
                THREADS,
                THREAD_KEPT.toMillis(),
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name("lookup-", 0).factory());
    }

    /** One sandbox's share. */
    static Semaphore share() {
        return new Semaphore(THREADS_OF_A_SANDBOX, true);
    }

    /** @throws CortexException NOT_FOUND, DEADLINE, CAPACITY, CANCELLED */
    List<InetAddress> addresses(Host.Name name, Semaphore share) {
        long deadline = System.nanoTime() + WITHIN.toNanos();
        try {
            if (!share.tryAcquire(WITHIN.toNanos(), TimeUnit.NANOSECONDS)) {
                throw late(name);
            }
            return begin(name, share).get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw late(name);
        } catch (ExecutionException e) {
            throw CortexException.of(ErrorCode.NOT_FOUND, name.text() + ": no such name", "")
                    .because(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "the lookup of " + name.text() + " was cancelled", "");
        }
    }

    /** The share is given back by the thread that took it, however late. */
    private CompletableFuture<List<InetAddress>> begin(Host.Name name, Semaphore share) {
        CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    found.complete(resolver.resolve(name));
                } catch (UnknownHostException | RuntimeException e) {
                    found.completeExceptionally(e);
                } finally {
                    share.release();
                }
            });
        } catch (RejectedExecutionException e) {
            share.release();
            throw CortexException.of(ErrorCode.CAPACITY, "too many names are being looked up", "try again in a moment");
        }
        return found;
    }

    private static CortexException late(Host.Name name) {
        return CortexException.of(
                ErrorCode.DEADLINE, name.text() + " was not resolved within " + WITHIN.toSeconds() + " s", "");
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
