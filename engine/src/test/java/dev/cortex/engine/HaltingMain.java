package dev.cortex.engine;

import dev.cortex.protocol.home.Home;
import java.nio.file.Path;
import java.time.Duration;

/** A program that opens a home and makes one operation; CORTEX_CRASH_AT says where it ends as by kill -9. */
final class HaltingMain {
    /** What it exits with when nothing ended it. */
    static final int SURVIVED = 3;

    private HaltingMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        Home home = new Home(Path.of(arguments[0]), Path.of(arguments[1]));
        HaltedOperation operation = HaltedOperation.valueOf(arguments[2]);
        Cortex cortex = Cortex.open(operation.options(home));
        cortex.awaitRecovery(Duration.ofSeconds(30));
        operation.make(cortex, arguments[3]);
        Runtime.getRuntime().halt(SURVIVED);
    }
}
