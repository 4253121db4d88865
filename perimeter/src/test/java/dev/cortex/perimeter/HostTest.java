package dev.cortex.perimeter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class HostTest {
    private static Optional<Host> parsed(String written) {
        try {
            return Optional.of(Host.parse(written));
        } catch (CortexException e) {
            return Optional.empty();
        }
    }

    @Test
    void aHostHasOneForm() {
        Map.of(
                        "PyPI.org.", "pypi.org",
                        "localhost", "localhost",
                        "a_b.example", "a_b.example",
                        "xn--bcher-kva.example", "xn--bcher-kva.example",
                        "b\u00fccher.example", "xn--bcher-kva.example",
                        "0:0:0:0:0:0:0:1", "::1",
                        "[2001:0DB8:0:0:1:0:0:1]", "2001:db8::1:0:0:1",
                        "::ffff:10.0.0.1", "10.0.0.1",
                        "3com.com", "3com.com",
                        "10.0.0.1.", "10.0.0.1")
                .forEach((written, form) ->
                        assertThat(parsed(written).map(Host::text)).as(written).contains(form));
    }

    @Property(tries = 2_000)
    void whateverIsWrittenIsAHostOfOneFormOrNone(@ForAll @Size(max = 300) String written) {
        parsed(written).ifPresent(host -> {
            assertThat(Host.parse(host.text())).isEqualTo(host);
            assertThat(host.text()).isEqualTo(host.text().toLowerCase(Locale.ROOT));
            assertThat(host.text().length()).isLessThanOrEqualTo(Host.NAME_CHARACTERS);
            assertThat(host.text()).matches("[a-z0-9._:-]+");
        });
    }

    @Property(tries = 2_000)
    void whatIsMadeOfDigitsDotsAndLettersOfHexIsNeverANameThatAResolverTakesForAnAddress(
            @ForAll("numeric") String written) {
        parsed(written).ifPresent(host -> {
            if (host instanceof Host.Name) {
                String last = host.text().substring(host.text().lastIndexOf('.') + 1);
                assertThat(last).doesNotMatch("[0-9]+|0x[0-9a-f]*");
            }
        });
    }

    @Provide
    Arbitrary<String> numeric() {
        return Arbitraries.strings()
                .withChars("0123456789abcdefx.:")
                .ofMinLength(1)
                .ofMaxLength(30);
    }

    @Property(tries = 1_000)
    void anIpv6AddressInItsOneFormIsTheSameAddress(@ForAll @Size(16) byte[] bytes) throws UnknownHostException {
        InetAddress address = InetAddress.getByAddress(bytes);
        if (address instanceof Inet6Address wide) {
            assertThat(InetAddress.ofLiteral(AddressText.of(wide))).isEqualTo(address);
        }
    }
}
