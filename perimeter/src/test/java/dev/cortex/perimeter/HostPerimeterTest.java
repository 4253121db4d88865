package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.testkit.perimeter.PerimeterContract;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.List;
import java.util.Set;

final class HostPerimeterTest extends PerimeterContract {
    @Override
    protected Perimeter perimeter(Names names) {
        Resolver resolver = name -> {
            List<InetAddress> addresses = names.of(name.text());
            if (addresses.isEmpty()) {
                throw new UnknownHostException(name.text());
            }
            return addresses;
        };
        return new HostPerimeter(new Surroundings(resolver, Set::of, Clock.systemUTC()));
    }
}
