package dev.cortex.cli.verb;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Printable;
import java.util.ArrayList;
import java.util.List;

/** What {@code --mount HOST:GUEST[:ro][:hooks]} says. HOST may be relative and hold colons, GUEST is absolute. */
final class MountOption {
    private MountOption() {}

    /** Absent where there are none. */
    static Json all(List<Word> options) throws UsageException {
        List<Json> mounts = new ArrayList<>();
        for (Word option : options) {
            mounts.add(one(option.text()));
        }
        return mounts.isEmpty() ? Json.ABSENT : Json.of(mounts);
    }

    /** As it could be given again. */
    static String shown(Json mount) {
        return Printable.of(mount.get("host").text() + ":" + mount.get("guest").text())
                + (mount.get("read_only").isTrue() ? ":ro" : "")
                + (mount.get("writable_hooks").isTrue() ? ":hooks" : "");
    }

    private static Json one(String option) throws UsageException {
        String rest = option;
        boolean readOnly = false;
        boolean hooks = false;
        while (rest.endsWith(":ro") || rest.endsWith(":hooks") || rest.endsWith(":rw")) {
            readOnly |= rest.endsWith(":ro");
            hooks |= rest.endsWith(":hooks");
            rest = rest.substring(0, rest.lastIndexOf(':'));
        }
        int colon = rest.lastIndexOf(':');
        if (colon <= 0 || colon == rest.length() - 1) {
            throw new UsageException(
                    "--mount '" + option + "' does not say where it goes", "write: --mount ./src:/home/agent/src");
        }
        String host = HostText.text(
                HostText.path(rest.substring(0, colon)).toAbsolutePath().normalize());
        return Json.object()
                .put("host", host)
                .put("guest", rest.substring(colon + 1))
                .put("read_only", readOnly)
                .put("writable_hooks", hooks)
                .build();
    }
}
