package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** A folder of the host that is a whole root file system; used in place, never written. */
final class FolderImage {
    private FolderImage() {}

    static Image resolve(String reference, Path folder) {
        if (folder.getNameCount() == 0) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    "the machine's own root is no image: it would show every file of this machine",
                    "use --image host, which shows /usr and what programs need of /etc");
        }
        if (!looksLikeRoot(folder)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    folder + " is no root file system: it has neither bin nor usr/bin",
                    "give the folder that holds bin, etc, usr");
        }
        return new Image(reference, Optional.empty(), new Image.Root.Folder(folder), Image.Config.NONE);
    }

    /** Links count unseen: an absolute one leads somewhere only inside. */
    static boolean looksLikeRoot(Path folder) {
        return Files.exists(folder.resolve("bin"), LinkOption.NOFOLLOW_LINKS)
                || Files.isDirectory(folder.resolve("usr/bin"));
    }
}
