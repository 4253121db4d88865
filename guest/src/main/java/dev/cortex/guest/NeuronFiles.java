package dev.cortex.guest;

import com.google.protobuf.ByteString;
import dev.cortex.guest.Calls.Method;
import dev.cortex.guest.pb.CopyRequest;
import dev.cortex.guest.pb.CopyResponse;
import dev.cortex.guest.pb.Direction;
import dev.cortex.guest.pb.FileInfo;
import dev.cortex.guest.pb.ListRequest;
import dev.cortex.guest.pb.ListResponse;
import dev.cortex.guest.pb.MakeDirectoryRequest;
import dev.cortex.guest.pb.MakeDirectoryResponse;
import dev.cortex.guest.pb.MoveRequest;
import dev.cortex.guest.pb.MoveResponse;
import dev.cortex.guest.pb.RemoveRequest;
import dev.cortex.guest.pb.RemoveResponse;
import dev.cortex.guest.pb.ResolvePathRequest;
import dev.cortex.guest.pb.ResolvePathResponse;
import dev.cortex.guest.pb.Shape;
import dev.cortex.guest.pb.StatRequest;
import dev.cortex.guest.pb.WatchRequest;
import dev.cortex.guest.pb.WatchResponse;
import dev.cortex.sandbox.guest.FileWatch;
import dev.cortex.sandbox.guest.GuestFiles;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.security.SecureRandom;
import java.util.function.Consumer;

/** The file calls of one neuron. Paths are resolved inside; the host follows nothing. */
final class NeuronFiles implements GuestFiles {
    /** What guest.proto allows for one page. */
    private static final int ENTRIES_MOST = 10_000;

    private static final Method<FileInfo> STAT = Neuron.small("Stat", FileInfo.parser());
    private static final Method<ListResponse> LIST =
            new Method<>("List", ListResponse.parser(), CallStream.MESSAGE_BYTES, ENTRIES_MOST + Neuron.SMALL_FIELDS);
    private static final Method<MakeDirectoryResponse> MAKE_DIRECTORY =
            Neuron.small("MakeDirectory", MakeDirectoryResponse.parser());
    private static final Method<MoveResponse> MOVE = Neuron.small("Move", MoveResponse.parser());
    private static final Method<RemoveResponse> REMOVE = Neuron.small("Remove", RemoveResponse.parser());
    private static final Method<ResolvePathResponse> RESOLVE =
            Neuron.small("ResolvePath", ResolvePathResponse.parser());
    private static final Method<WatchResponse> WATCH = Neuron.small("Watch", WatchResponse.parser());
    private static final Method<CopyResponse> COPY = Neuron.small("Copy", CopyResponse.parser());

    private final Neuron neuron;
    private final DataStreams data;
    private final Watchdog watchdog;
    private final SecureRandom random = new SecureRandom();

    NeuronFiles(Neuron neuron, DataStreams data, Watchdog watchdog) {
        this.neuron = neuron;
        this.data = data;
        this.watchdog = watchdog;
    }

    @Override
    public FileEntry stat(GuestPath path, boolean follow) {
        StatRequest request = StatRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .setFollow(follow)
                .build();
        return neuron.call(STAT, request, Neuron.DEADLINE, Answers::file);
    }

    @Override
    public FileListing list(GuestPath path, int depth, int most, byte[] after) {
        int entries = most <= 0 ? ENTRIES_MOST : Math.min(most, ENTRIES_MOST);
        ListRequest request = ListRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .setDepth(depth)
                .setMost(entries)
                .setAfter(ByteString.copyFrom(after))
                .build();
        return neuron.call(LIST, request, Neuron.DEADLINE, answer -> Answers.listing(answer, entries));
    }

    @Override
    public boolean makeDirectory(GuestPath path, boolean parents, int mode) {
        MakeDirectoryRequest request = MakeDirectoryRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .setParents(parents)
                .setMode(mode)
                .build();
        return neuron.call(MAKE_DIRECTORY, request, Neuron.DEADLINE, MakeDirectoryResponse::getCreated);
    }

    @Override
    public void move(GuestPath from, GuestPath to, boolean replace) {
        MoveRequest request = MoveRequest.newBuilder()
                .setFrom(bytes(from))
                .setTo(bytes(to))
                .setUser(from.user())
                .setReplace(replace)
                .build();
        neuron.call(MOVE, request, Neuron.DEADLINE, answer -> answer);
    }

    @Override
    public long remove(GuestPath path, boolean recursive) {
        RemoveRequest request = RemoveRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .setRecursive(recursive)
                .build();
        // A tree of a million files takes its time.
        return neuron.call(
                REMOVE,
                request,
                Neuron.DEADLINE.multipliedBy(10),
                answer -> Answers.count(answer.getRemoved(), "entries"));
    }

    @Override
    public Resolved resolve(GuestPath path) {
        ResolvePathRequest request = ResolvePathRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .build();
        return neuron.call(
                RESOLVE,
                request,
                Neuron.DEADLINE,
                answer -> new Resolved(Answers.path(answer.getPath()), answer.getExists()));
    }

    @Override
    public void write(GuestPath path, ReadableByteChannel from, long offset, int mode, boolean parents) {
        Prepared transfer = prepare(copy(path, Direction.DIRECTION_PUSH, Shape.SHAPE_FILE)
                .setOffset(offset)
                .setMode(mode)
                .setMakeParents(parents));
        transfer.open().push(from);
    }

    @Override
    public void read(GuestPath path, long offset, long length, Consumer<FileEntry> begin, WritableByteChannel to) {
        Prepared transfer = prepare(copy(path, Direction.DIRECTION_PULL, Shape.SHAPE_FILE)
                .setOffset(offset)
                .setLength(length));
        transfer.open().pull(() -> begin.accept(transfer.file()), to, length == 0 ? Long.MAX_VALUE : length);
    }

    @Override
    public void unpack(GuestPath folder, ReadableByteChannel tar, boolean keepOwners) {
        Prepared transfer = prepare(copy(folder, Direction.DIRECTION_PUSH, Shape.SHAPE_TAR)
                .setMakeParents(true)
                .setKeepOwners(keepOwners));
        transfer.open().push(tar);
    }

    @Override
    public void pack(GuestPath path, Consumer<FileEntry> begin, WritableByteChannel to) {
        Prepared transfer = prepare(copy(path, Direction.DIRECTION_PULL, Shape.SHAPE_TAR));
        transfer.open().pull(() -> begin.accept(transfer.file()), to, Long.MAX_VALUE);
    }

    @Override
    public FileWatch watch(GuestPath path, boolean recursive) {
        String id = mint("w_");
        WatchRequest request = WatchRequest.newBuilder()
                .setWatchId(id)
                .setPath(bytes(path))
                .setUser(path.user())
                .setRecursive(recursive)
                .build();
        neuron.call(WATCH, request, Neuron.DEADLINE, answer -> id);
        return WatchStream.open(data.open(), id, watchdog);
    }

    private static ByteString bytes(GuestPath path) {
        return ByteString.copyFrom(path.path());
    }

    private static CopyRequest.Builder copy(GuestPath path, Direction direction, Shape shape) {
        return CopyRequest.newBuilder()
                .setPath(bytes(path))
                .setUser(path.user())
                .setDirection(direction)
                .setShape(shape);
    }

    private Prepared prepare(CopyRequest.Builder request) {
        String id = mint("t_");
        FileEntry file = neuron.call(
                COPY, request.setTransferId(id).build(), Neuron.DEADLINE, answer -> Answers.file(answer.getFile()));
        return new Prepared(id, file);
    }

    /** A transfer that the guest knows; {@code file} is what a pull will send. */
    private final class Prepared {
        private final String id;
        private final FileEntry file;

        Prepared(String id, FileEntry file) {
            this.id = id;
            this.file = file;
        }

        FileEntry file() {
            return file;
        }

        Transfer open() {
            return new Transfer(data.open(), id);
        }
    }

    private String mint(String prefix) {
        StringBuilder id = new StringBuilder(prefix);
        for (int i = 0; i < 16; i++) {
            id.append(Character.forDigit(random.nextInt(36), 36));
        }
        return id.toString();
    }
}
