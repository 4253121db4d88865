package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/** The home's bearer token: {@code e2b_} and 40 hex digits, a form that E2B's SDKs insist on, in a file of mode 0600. */
public final class Token {
    private static final String PREFIX = "e2b_";
    private static final int BYTES = 20;

    private Token() {}

    /** Reads the token; makes one where there is none. */
    public static String of(Path file) {
        try {
            return read(file);
        } catch (NoSuchFileException e) {
            return make(file);
        } catch (IOException e) {
            throw unusable(file).because(e);
        }
    }

    private static String read(Path file) throws IOException {
        String token = Files.readString(file).strip();
        if (token.length() != PREFIX.length() + 2 * BYTES || !token.startsWith(PREFIX) || !isHex(token)) {
            throw unusable(file).because("it does not hold e2b_ and 40 hex digits");
        }
        return token;
    }

    private static boolean isHex(String token) {
        for (int i = PREFIX.length(); i < token.length(); i++) {
            if (!HexFormat.isHexDigit(token.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static String make(Path file) {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        String token = PREFIX + HexFormat.of().formatHex(random);
        try (SeekableByteChannel out = Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            out.write(ByteBuffer.wrap((token + "\n").getBytes(StandardCharsets.US_ASCII)));
            return token;
        } catch (FileAlreadyExistsException e) {
            return of(file);
        } catch (IOException e) {
            throw unusable(file).because(e);
        }
    }

    private static CortexException unusable(Path file) {
        return CortexException.of(
                ErrorCode.NOT_READY, "the token in " + file + " cannot be used", "remove the file: a new one is made");
    }
}
