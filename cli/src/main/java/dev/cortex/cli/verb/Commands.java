package dev.cortex.cli.verb;

import dev.cortex.protocol.operation.Operations;

/** Which class does which verb; only that one is loaded. */
public final class Commands {
    private Commands() {}

    public static Command of(Context context) {
        String name = context.invocation().verb().name();
        return switch (name) {
            case "run" -> new RunCommand(context);
            case "create" -> new CreateCommand(context);
            case "ls" -> new ListCommand(context);
            case "inspect" -> new InspectCommand(context);
            case "usage" -> new UsageCommand(context);
            case "start" -> new StartCommand(context);
            case "stop" -> new StopCommand(context);
            case "pause" -> new ChangeCommand(context, Operations.PAUSE, "pausing");
            case "resume" -> new ChangeCommand(context, Operations.RESUME, "resuming");
            case "reset" -> new ChangeCommand(context, Operations.RESET, "resetting");
            case "rm" -> new RemoveCommand(context);
            case "exec" -> new ExecCommand(context);
            case "attach" -> new AttachCommand(context);
            case "sessions" -> new SessionsCommand(context);
            case "cp" -> new CopyCommand(context);
            case "forward" -> new ForwardCommand(context);
            case "watch" -> new WatchCommand(context);
            case "diff" -> new DiffCommand(context);
            case "apply" -> new ApplyCommand(context);
            case "egress" -> new EgressCommand(context);
            case "prune" -> new PruneCommand(context);
            case "service" -> new ServiceCommand(context);
            case "logs" -> new LogsCommand(context);
            case "image" -> new ImageCommand(context);
            case "config" -> new ConfigCommand(context);
            case "token" -> new TokenCommand(context);
            case "version" -> new VersionCommand(context);
            case "completion" -> new CompletionCommand(context);
            case "help" -> new HelpCommand(context);
            default -> throw new IllegalStateException("no class does the verb " + name);
        };
    }
}
