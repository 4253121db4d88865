package dev.cortex.drivers.oci;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The part of the OCI runtime specification (1.0.2) that a sandbox uses; names are the specification's. Control groups
 * are not in it: the launcher attaches them.
 */
record OciConfig(String ociVersion, Root root, String hostname, Process process, List<Entry> mounts, Linux linux) {
    static final String VERSION = "1.0.2";

    private static final JsonMapper JSON = JsonMapper.builder()
            .changeDefaultPropertyInclusion(value -> value.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .build();

    JsonNode toJson() {
        return JSON.valueToTree(this);
    }

    record Root(String path, boolean readonly) {}

    record Process(
            boolean terminal,
            User user,
            List<String> args,
            List<String> env,
            String cwd,
            CapabilitySets capabilities,
            List<Rlimit> rlimits,
            boolean noNewPrivileges) {}

    record User(int uid, int gid) {}

    record CapabilitySets(
            List<String> bounding,
            List<String> effective,
            List<String> permitted,
            List<String> inheritable,
            List<String> ambient) {}

    record Rlimit(String type, BigInteger soft, BigInteger hard) {}

    record Entry(String destination, String type, String source, List<String> options) {}

    record Linux(
            List<Namespace> namespaces,
            List<Mapping> uidMappings,
            List<Mapping> gidMappings,
            List<String> maskedPaths,
            List<String> readonlyPaths,
            Optional<JsonNode> seccomp) {}

    record Namespace(String type) {}

    record Mapping(long containerID, long hostID, long size) {}
}
