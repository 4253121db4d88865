package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;

/**
 * Fetches from a server on this machine's loopback: with the program {@code load}, whose lines are the nanoseconds of
 * each request.
 *
 * @param client runs it and answers its lines
 */
record Proxied(String name, Fetch fetch, Client client, Timed.Closing closing) implements Contender {
    /** Where the program runs. */
    interface Client {
        /** @param path bytes of the answer, as the server's path; @param requests one after another */
        String lines(long path, int requests) throws Exception;
    }

    /** What is fetched. */
    enum Fetch {
        /** A byte, 20 times on a connection that is up where the way allows it: the milliseconds of one. */
        SMALL,
        /** 64 MiB at once: MB/s. */
        LARGE
    }

    private static final int REQUESTS = 20;
    private static final long LARGE_BYTES = 64L << 20;

    @Override
    public double once() throws Exception {
        if (fetch == Fetch.SMALL) {
            return client.lines(1, REQUESTS + 1)
                            .lines()
                            .skip(1)
                            .mapToLong(Long::parseLong)
                            .average()
                            .orElseThrow()
                    / 1e6;
        }
        return LARGE_BYTES * 1e3 / Long.parseLong(client.lines(LARGE_BYTES, 1).strip());
    }

    @Override
    public void close() throws Exception {
        closing.close();
    }
}
