package dev.cortex.engine;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.home.Home;
import java.nio.file.Path;
import java.time.Duration;

/** A program that opens a home and ends as by kill -9 at a given step of create, stop or remove. */
final class HaltingMain {
    private HaltingMain() {}

    public static void main(String[] arguments) {
        Home home = new Home(Path.of(arguments[0]), Path.of(arguments[1]));
        String step = arguments[2];
        String driver = arguments[3];
        boolean[] armed = {true};
        Cortex cortex = Cortex.open(CortexOptions.at(home).with(crossed -> {
            if (armed[0] && crossed.equals(step)) {
                Runtime.getRuntime().halt(137);
            }
        }));
        CreateSandbox request = CreateSandbox.defaults()
                .named("victim")
                .on(driver)
                .allowingInsecureProcess()
                .running(StartSession.of("sh", "-c", "setsid sleep 1000 & sleep 1000"));
        cortex.create(request);
        cortex.sandboxes().stop("victim", Duration.ofMillis(100));
        cortex.sandboxes().remove("victim", true, true);
        Runtime.getRuntime().halt(0);
    }
}
