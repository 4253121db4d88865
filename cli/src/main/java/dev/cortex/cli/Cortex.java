package dev.cortex.cli;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.Parser;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.Arguments;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.Install;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.verb.Commands;
import dev.cortex.cli.verb.Context;
import dev.cortex.cli.verb.Failure;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.util.List;
import java.util.Optional;

/** The command {@code cortex}. */
public final class Cortex {
    private static final int FAILED = 1;
    private static final int MISUSED = 2;

    private Cortex() {}

    public static void main(String[] arguments) {
        System.exit(run(Arguments.exact(arguments)));
    }

    /** Does what the words say, on this process's own descriptors, and gives the exit status. */
    public static int run(List<Word> words) {
        Invocation invocation;
        try {
            invocation = Parser.parse(words);
        } catch (UsageException e) {
            new Failure(output(wantsJson(words), "auto")).tellUsage(e.text(), e.remedy());
            return isProgramVerb(words) ? ExitStatus.CORTEX_FAILED : MISUSED;
        }
        boolean programStatus = invocation.verb().programStatus();
        String color = invocation.text("color").orElse("auto");
        Output output = output(invocation.has("json"), color);
        if (!color.equals("auto") && !color.equals("always") && !color.equals("never")) {
            new Failure(output).tellUsage("--color '" + color + "' is none", "choose: auto, always, never");
            return programStatus ? ExitStatus.CORTEX_FAILED : MISUSED;
        }
        try {
            return Commands.of(context(invocation, output)).run();
        } catch (UsageException e) {
            new Failure(output).tellUsage(e.text(), e.remedy());
            return programStatus ? ExitStatus.CORTEX_FAILED : MISUSED;
        } catch (CortexException e) {
            new Failure(output).tell(e);
            if (e.code() == ErrorCode.CANCELLED) {
                return ExitStatus.INTERRUPTED;
            }
            return programStatus ? ExitStatus.CORTEX_FAILED : FAILED;
        } catch (Output.BrokenOutput e) {
            return ExitStatus.BROKEN_PIPE;
        } catch (RuntimeException e) {
            new Failure(output).tell(fault(e));
            return programStatus ? ExitStatus.CORTEX_FAILED : FAILED;
        }
    }

    /** A fault of ours, or a path that this machine cannot have: one line for the person, and where it came from. */
    private static CortexException fault(RuntimeException e) {
        StackTraceElement[] trace = e.getStackTrace();
        CortexException told = CortexException.of(
                ErrorCode.INTERNAL,
                "this should not have happened: " + e,
                "please report it with the command that you typed");
        return trace.length == 0 ? told : told.because("at " + trace[0]);
    }

    private static Context context(Invocation invocation, Output output) {
        Optional<Word> folder = invocation.value("home");
        Home home = folder.isPresent() ? Home.at(HostText.path(folder.get())) : Home.current();
        Install install = Install.current();
        return new Context(invocation, output, home, install, new Daemon(home, install, output::say));
    }

    private static Output output(boolean json, String color) {
        boolean plain = color.equals("never")
                || (color.equals("auto") && !HostText.variable("NO_COLOR").isEmpty());
        boolean always = color.equals("always");
        boolean stdout = always || (!plain && Descriptors.isTerminal(1));
        boolean stderr = always || (!plain && Descriptors.isTerminal(2));
        return Output.ofProcess(json, stdout && !json, stderr);
    }

    private static boolean wantsJson(List<Word> words) {
        for (Word word : words) {
            if (word.text().equals("--")) {
                return false;
            }
            if (word.text().equals("--json")) {
                return true;
            }
        }
        return false;
    }

    /** A command line that is wrong still answers as its verb does. */
    private static boolean isProgramVerb(List<Word> words) {
        for (Word word : words) {
            String text = word.text();
            if (!text.startsWith("-")) {
                return text.equals("run") || text.equals("exec") || text.equals("attach");
            }
        }
        return false;
    }
}
