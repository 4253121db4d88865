import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints the notices of what others made and an archive of ours contains. A part whose licence cannot be found is an error:
 * it must not be handed on. Run by {@code ./dev dist} as a single source file.
 *
 * <p>Arguments: {@code --jar FILE} for each library, at its place in the local Maven repository, beside its pom, and
 * {@code --module NAME FOLDER} for each Go module, and for Go itself.
 */
public final class Notices {
    private static final Pattern TEXT = Pattern.compile("(META-INF/)?(LICEN[CS]E|NOTICE|COPYING|PATENTS)[^/]*");
    private static final Pattern LICENSE = Pattern.compile("<license>.*?<name>(.*?)</name>.*?</license>", Pattern.DOTALL);
    private static final Pattern PARENT = Pattern.compile(
            "<parent>.*?<groupId>(.*?)</groupId>.*?<artifactId>(.*?)</artifactId>.*?<version>(.*?)</version>",
            Pattern.DOTALL);

    /** Parents of poms are followed so far. */
    private static final int GENERATIONS = 8;

    private final Map<String, Set<String>> licenses = new TreeMap<>();

    /** Each text once, with the parts that bring it. */
    private final Map<String, Set<String>> texts = new TreeMap<>();

    public static void main(String[] words) throws IOException {
        Notices notices = new Notices();
        for (int i = 0; i < words.length; ) {
            switch (words[i]) {
                case "--jar" -> {
                    notices.jar(Path.of(words[i + 1]));
                    i += 2;
                }
                case "--module" -> {
                    notices.module(words[i + 1], Path.of(words[i + 2]));
                    i += 3;
                }
                default -> throw new IllegalArgumentException("what is " + words[i] + "?");
            }
        }
        notices.print();
    }

    private void jar(Path file) throws IOException {
        String name = file.getFileName().toString().replaceFirst("\\.jar$", "");
        Path pom = file.resolveSibling(name + ".pom");
        // …/repository/GROUP/ARTIFACT/VERSION/FILE
        Path repository = file.getParent();
        while (!repository.getFileName().toString().equals("repository")) {
            repository = repository.getParent();
        }
        licenses.put(name, licensesOf(pom, repository, GENERATIONS));
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                if (TEXT.matcher(entry.getName().toUpperCase(Locale.ROOT)).matches() && !entry.isDirectory()) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        text(name, in.readAllBytes());
                    }
                }
            }
        }
        if (licenses.get(name).isEmpty() && texts.values().stream().noneMatch(names -> names.contains(name))) {
            throw new IOException("no licence of " + name + " was found");
        }
    }

    private static Set<String> licensesOf(Path pom, Path repository, int generations) throws IOException {
        if (generations == 0 || !Files.exists(pom)) {
            return Set.of();
        }
        String xml = Files.readString(pom);
        Set<String> found = new LinkedHashSet<>();
        Matcher license = LICENSE.matcher(xml);
        while (license.find()) {
            found.add(license.group(1).strip());
        }
        Matcher parent = PARENT.matcher(xml);
        if (!found.isEmpty() || !parent.find()) {
            return found;
        }
        Path above = repository
                .resolve(parent.group(1).strip().replace('.', '/'))
                .resolve(parent.group(2).strip())
                .resolve(parent.group(3).strip());
        return licensesOf(
                above.resolve(parent.group(2).strip() + "-" + parent.group(3).strip() + ".pom"),
                repository,
                generations - 1);
    }

    private void module(String name, Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(folder)) {
            all.filter(Files::isRegularFile)
                    .filter(file -> TEXT.matcher(file.getFileName().toString().toUpperCase(Locale.ROOT))
                            .matches())
                    .sorted()
                    .forEach(files::add);
        }
        if (files.isEmpty()) {
            throw new IOException("no licence of " + name + " was found in " + folder);
        }
        licenses.put(name, Set.of());
        for (Path file : files) {
            text(name, Files.readAllBytes(file));
        }
    }

    private void text(String name, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8).replace("\r\n", "\n").strip();
        texts.computeIfAbsent(text, any -> new LinkedHashSet<>()).add(name);
    }

    private void print() {
        StringBuilder page = new StringBuilder("""
                Cortex is handed on together with these works of others.

                """);
        licenses.forEach((name, names) -> page.append("  ")
                .append(name)
                .append(names.isEmpty() ? "" : "   " + String.join(", ", names))
                .append('\n'));
        texts.forEach((text, names) -> page.append("\n")
                .append("=".repeat(120))
                .append("\nOf ")
                .append(String.join(", ", names))
                .append(":\n\n")
                .append(text)
                .append('\n'));
        System.out.write(page.toString().getBytes(StandardCharsets.UTF_8), 0, page.toString().getBytes(StandardCharsets.UTF_8).length);
        System.out.flush();
    }
}
