package dev.cortex.daemon.http;

import dev.cortex.protocol.operation.Operations;
import java.util.Optional;

/** The OpenAPI document of a table, as JSON. */
record OpenApiDocument(OperationTable table, String version, Json json) implements Document {
    static final String PATH = Operations.PREFIX + "/openapi.json";

    @Override
    public String name() {
        return "openapi";
    }

    @Override
    public Content content(Optional<String> accept) {
        return new Content("application/json", json.write(new OpenApi(table.operations(), version).document()));
    }
}
