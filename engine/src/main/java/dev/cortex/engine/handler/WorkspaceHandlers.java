package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.service.Workspaces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Sandboxes' copies of folders: what changed, and the way back. */
final class WorkspaceHandlers {
    private final Workspaces workspaces;

    WorkspaceHandlers(Workspaces workspaces) {
        this.workspaces = workspaces;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.WORKSPACE_CHANGES, (Handler.Json<Void, WorkspaceChanges>)
                call -> workspaces.changes(call.sandbox(), paths(call)));
        handlers.put(Operations.WORKSPACE_DIFF, (Handler.Download) this::diff);
        handlers.put(Operations.WORKSPACE_APPLY, (Handler.Json<ApplyWorkspace, WorkspaceApplied>)
                call -> workspaces.apply(call.sandbox(), call.request()));
    }

    private void diff(Call<Void> call, Handler.Answer answer) throws IOException {
        LateChannel to = new LateChannel(answer);
        try {
            workspaces.patch(call.sandbox(), paths(call), () -> to.begin(Map.of()), to);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static List<String> paths(Call<?> call) {
        return new Parameters(call)
                .text("paths").stream().flatMap(String::lines).toList();
    }
}
