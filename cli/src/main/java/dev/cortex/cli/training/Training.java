package dev.cortex.cli.training;

import dev.cortex.cli.Cortex;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.Arguments;
import dev.cortex.cli.host.HostText;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the hot verbs once, in one JVM, so that the JVM can archive what they load ({@code ./dev aot}). Against a socket of
 * its own: the cache is the same whether a sandbox could be made on this machine or not.
 */
public final class Training {
    private Training() {}

    /**
     * @param arguments a folder that can be thrown away afterwards
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = HostText.path(Arguments.exact(arguments).getFirst());
        Home home = Home.at(folder);
        home.makeRunFolder();
        Path file = Files.writeString(folder.resolve("file"), "content\n");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(home.socket()));
            Thread answering = new Thread(() -> Answers.give(server), "answers");
            answering.setDaemon(true);
            answering.start();
            for (String line : List.of(
                    "exec a -- true",
                    "exec a --detach -- true",
                    "run --memory 512M --env A=b -- true",
                    "create a --cpus 1",
                    "ls",
                    "ls --json",
                    "inspect a",
                    "inspect nobody",
                    "start a",
                    "stop a",
                    "sessions a",
                    "logs a s_1",
                    "attach a s_1",
                    "cp " + file + " a:file",
                    "cp a:file " + folder.resolve("copy"),
                    "rm a",
                    "config",
                    "version",
                    "help run",
                    "completion words -- exec a",
                    "completion words -- cp a:",
                    "exec --no-such-flag")) {
                run(folder, line);
            }
        }
        Files.deleteIfExists(home.socket());
        Files.deleteIfExists(home.runFolder());
        // Nothing is archived after a halt.
        System.exit(0);
    }

    private static void run(Path home, String line) {
        List<Word> words = new ArrayList<>(List.of(Word.of("--home"), Word.of(home.toString())));
        for (String word : line.split(" ")) {
            words.add(Word.of(word));
        }
        Cortex.run(words);
    }
}
