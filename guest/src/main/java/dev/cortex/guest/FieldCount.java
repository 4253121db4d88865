package dev.cortex.guest;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;

/**
 * Counts a message's fields before it is decoded. Two bytes on the wire can become an object of a hundred in memory, so
 * the limit on a message's bytes alone does not bound what it costs.
 */
final class FieldCount {
    private FieldCount() {}

    /** @throws IOException when it is no message, or one with more than so many fields (entries of lists included) */
    static void check(byte[] message, int most) throws IOException {
        check(CodedInputStream.newInstance(message), most);
    }

    static void check(CodedInputStream message, int most) throws IOException {
        for (int count = 0; ; count++) {
            int tag = message.readTag();
            if (tag == 0) {
                return;
            }
            if (count >= most || !message.skipField(tag)) {
                throw new IOException("the guest answered with more than " + most + " fields");
            }
        }
    }
}
