package dev.cortex.e2e;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds the arrows between modules, also where Maven's transitive dependencies would let one slip. */
final class ArchitectureTest {

    /** Each module with the modules that it may see; itself is understood. */
    private static final Map<String, List<String>> ARROWS = Map.of(
            "protocol", List.of(),
            "sandbox", List.of("protocol"),
            "drivers", List.of("protocol", "sandbox"),
            "guest", List.of("protocol", "sandbox"),
            "images", List.of("protocol", "sandbox"),
            "perimeter", List.of("protocol", "sandbox"),
            "storage", List.of("protocol", "sandbox"),
            "engine", List.of("protocol", "sandbox", "drivers", "guest", "images", "perimeter", "storage"),
            "daemon", List.of("protocol", "sandbox", "engine"),
            "cli", List.of("protocol"));

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.cortex");

    @Test
    void everyModuleSeesOnlyWhatItsArrowsAllow() {
        ARROWS.forEach((module, allowed) -> {
            String[] forbidden = ARROWS.keySet().stream()
                    .filter(other -> !other.equals(module) && !allowed.contains(other))
                    .map(other -> "dev.cortex." + other + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage("dev.cortex." + module + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(forbidden)
                    .because("the arrows between modules point one way")
                    .check(PRODUCT);
        });
    }

    @Test
    void theCoreSeesNoHttpServerNoProtobufNoDatabaseAndNoNetty() {
        noClasses()
                .that(resideInAPackage("dev.cortex.sandbox..").or(resideInAPackage("dev.cortex.protocol..")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.eclipse.jetty..",
                        "com.google.protobuf..",
                        "java.sql..",
                        "javax.sql..",
                        "org.sqlite..",
                        "io.netty..")
                .because("the core is a library that must not decide how it is stored or reached")
                .check(PRODUCT);
    }

    @Test
    void onlyTheGuestModuleSpeaksProtobuf() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.cortex.guest..", "dev.cortex.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.google.protobuf..")
                .because("the wire format of the guest protocol is one module's secret")
                .check(PRODUCT);
    }
}
