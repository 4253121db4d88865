package dev.cortex.daemon.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What one sandbox takes of the machine.
 *
 * @param measured how many running sandboxes of the home these are the averages of; 0: what an idle one may take
 */
public record Footprint(int measured, long memoryBytes, long threads, long files) {
    /** The promise for an idle sandbox of crun, neuron included; under it everything that was measured. */
    static final Footprint PROMISED = new Footprint(0, 8L << 20, 12, 32);

    /** More would tell nothing new. */
    private static final int SAMPLE = 64;

    /** Of neurons that run: those of this run folder, and those in containers, whoever made them. */
    public static Footprint measure(Path run) {
        int count = 0;
        long memory = 0;
        long threads = 0;
        long files = 0;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (count == SAMPLE || !isNeuron(process, run)) {
                    continue;
                }
                count++;
                memory += kibibytes(process.resolve("smaps_rollup"), "Private_Dirty:") << 10;
                threads += kibibytes(process.resolve("status"), "Threads:");
                files += entries(process.resolve("fd"));
            }
        } catch (IOException e) {
            return PROMISED;
        }
        // Less than the promise would promise more than anybody has tried.
        return count == 0
                ? PROMISED
                : new Footprint(
                        count,
                        Math.max(memory / count, PROMISED.memoryBytes() / 2),
                        Math.max(threads / count, PROMISED.threads()),
                        Math.max(files / count, PROMISED.files() / 2));
    }

    private static boolean isNeuron(Path process, Path run) {
        try {
            String words = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return words.contains("neuron\0serve") && (words.contains(run + "/") || inside(process));
        } catch (IOException e) {
            return false;
        }
    }

    /** In a container its words name no path of the host. */
    private static boolean inside(Path process) throws IOException {
        return !Files.readSymbolicLink(process.resolve("ns/pid"))
                .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/pid")));
    }

    private static long kibibytes(Path file, String field) {
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(field)) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            return 0;
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    private static long entries(Path folder) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            long count = 0;
            for (Path entry : entries) {
                count += entry == null ? 0 : 1;
            }
            return count;
        } catch (IOException e) {
            return 0;
        }
    }
}
