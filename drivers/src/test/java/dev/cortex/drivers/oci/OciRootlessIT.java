package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.cortex.drivers.launch.Installation;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.testkit.driver.DriverContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import dev.cortex.testkit.driver.Shell;
import dev.cortex.testkit.driver.Trial;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The driver in the hands of an ordinary user with subordinate ids. Needs root, to become one; crun; uidmap. */
final class OciRootlessIT {
    private static final String ARCHIVE = "cortex.test.archive";

    @TempDir
    private static Path folder;

    @Test
    void theContractHoldsForAnOrdinaryUser() throws IOException, InterruptedException {
        Path archive = RootArchive.make(folder, true);
        try (OrdinaryUser user = new OrdinaryUser()) {
            OrdinaryUser.Ended ended =
                    user.java(Program.class, Installation.fromProperty().folder(), archive);
            assertThat(ended.status()).as(ended.output()).isZero();
        }
    }

    /** The program that the user runs; its status is 0 when every test of the suite was run and passed. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            System.setProperty(ARCHIVE, args[0]);
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .filters(EngineFilter.includeEngines("junit-jupiter"))
                                    .selectors(selectClass(AsOrdinaryUser.class))
                                    .build(),
                            listener);
            listener.getSummary().printFailuresTo(new PrintWriter(System.out, true), 12);
            listener.getSummary().printTo(new PrintWriter(System.out, true));
            boolean passed = listener.getSummary().getTestsSucceededCount() > 20
                    && listener.getSummary().getTestsFailedCount() == 0;
            System.exit(passed ? 0 : 1);
        }
    }

    static final class AsOrdinaryUser extends DriverContract {
        private static final OciSubject SUBJECT = new OciSubject("host");

        @AfterAll
        static void deleteImages() {
            SUBJECT.close();
        }

        @Override
        protected DriverUnderTest subject() {
            return SUBJECT;
        }

        @Test
        void itIsolatesAndPromisesNoLimitThatItCannotHold() {
            assertThat(SUBJECT.driver().capabilities().all())
                    .containsExactlyInAnyOrder(
                            Capability.ISOLATION,
                            Capability.IMAGES,
                            Capability.USERS,
                            Capability.ROOT_SESSIONS,
                            Capability.SECCOMP_PROFILES,
                            Capability.EGRESS);
        }

        @Test
        void agentHasNoPowerAndTheMachineIsNotSeen() {
            Trial trial = trial();
            try (Shell shell = trial.shell(trial.start())) {
                assertThat(shell.run("id -un; pwd; cat /proc/self/status").output())
                        .startsWith("agent\n/home/agent/workspace\n")
                        .containsPattern("CapEff:\\s+0000000000000000\n")
                        .containsPattern("Seccomp:\\s+2\n")
                        .containsPattern("NoNewPrivs:\\s+1\n");
                assertThat(shell.run("root", "ls -A /home /root; test -e /etc/shadow")
                                .code())
                        .isNotZero();
                assertThat(shell.run("root", "touch /usr/bin/mine").ok()).isFalse();
                assertThat(shell.run("root", "touch /etc/mine /opt/mine && chown agent /opt/mine")
                                .ok())
                        .isTrue();
                assertThat(shell.run("python3 -c 'print(6*7)'").output()).isEqualTo("42\n");
                assertThat(shell.run("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '")
                                .output())
                        .isEqualTo("lo\n");
                assertThat(shell.run("cat /proc/self/mountinfo").output())
                        .doesNotContain(trial.folder().toString());
            }
        }

        @Test
        void anArchivesOwnersAreRightThroughSubordinateIds() {
            try (OciSubject subject = new OciSubject(System.getProperty(ARCHIVE, ""));
                    Trial trial = new Trial(subject, 0);
                    Shell shell = trial.shell(trial.start())) {
                assertThat(shell.run("cat /var/lib/app/data; stat -c '%u:%g' /var/lib/app/data /etc/passwd")
                                .output())
                        .isEqualTo("of the image\n77:78\n0:0\n");
                assertThat(shell.run("root", "touch /var/lib/app/more /usr/bin/more")
                                .ok())
                        .isTrue();
            }
        }
    }
}
