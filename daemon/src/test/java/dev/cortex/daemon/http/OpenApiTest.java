package dev.cortex.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class OpenApiTest {
    private static final JsonNode DOCUMENT =
            JsonMapper.shared().readTree(new Json().write(new OpenApi(Operations.all(), "20260101-abc").document()));

    @Test
    void everyOperationIsInItWithItsSummaryItsParametersAndItsAnswers() {
        for (Operation<?, ?> operation : Operations.all()) {
            JsonNode described = DOCUMENT.get("paths")
                    .get(Operations.PREFIX + operation.path())
                    .get(operation.method().name().toLowerCase(Locale.ROOT));
            assertThat(described.get("operationId").asString()).isEqualTo(operation.name());
            assertThat(described.get("summary").asString()).isEqualTo(operation.summary());
            assertThat(described.get("responses").has("default")).isTrue();
            List<String> parameters = new ArrayList<>();
            described.path("parameters").forEach(parameter -> {
                assertThat(parameter.get("description").asString()).isNotBlank();
                assertThat(parameter.get("schema").get("type").asString()).isIn("string", "integer", "boolean");
                parameters.add(parameter.get("name").asString());
            });
            operation.parameters().forEach(parameter -> assertThat(parameters).contains(parameter.name()));
            for (String segment : operation.path().split("/")) {
                if (segment.startsWith("{")) {
                    assertThat(parameters).contains(segment.substring(1, segment.length() - 1));
                }
            }
            assertThat(described.has("requestBody"))
                    .isEqualTo(operation.request() != Void.class || operation.body() == Operation.Body.UPLOAD);
        }
    }

    @Test
    void everyFieldIsDescribedAndNothingElseIs() {
        Set<String> described = new TreeSet<>();
        Set<String> silent = new TreeSet<>();
        DOCUMENT.get("components")
                .get("schemas")
                .properties()
                .forEach(record -> record.getValue()
                        .get("properties")
                        .properties()
                        .forEach(field -> {
                            boolean said = !field.getValue()
                                    .path("description")
                                    .asString("")
                                    .isBlank();
                            (said ? described : silent).add(record.getKey() + "." + field.getKey());
                        }));
        assertThat(silent).as("fields without a line in fields.properties").isEmpty();
        assertThat(new FieldDescriptions().names())
                .as("lines of fields.properties")
                .isEqualTo(described);
    }

    @Test
    void everyReferenceInItLeadsSomewhere() {
        List<String> references = new ArrayList<>();
        collect(DOCUMENT, references);
        assertThat(references).isNotEmpty().allSatisfy(reference -> {
            JsonNode at = DOCUMENT;
            for (String step : reference.substring(2).split("/")) {
                at = at.path(step);
            }
            assertThat(at.isMissingNode()).as(reference).isFalse();
        });
    }

    private static void collect(JsonNode node, List<String> references) {
        if (node.has("$ref")) {
            references.add(node.get("$ref").asString());
        }
        node.forEach(child -> collect(child, references));
    }

    @Test
    void itHasWhatTheSpecificationDemandsOfADocument() {
        assertThat(DOCUMENT.get("openapi").asString()).isEqualTo("3.1.0");
        assertThat(DOCUMENT.get("info").get("title").asString()).isNotBlank();
        assertThat(DOCUMENT.get("info").get("version").asString()).isEqualTo("20260101-abc");
        assertThat(DOCUMENT.get("security").get(0).has("token")).isTrue();
        assertThat(DOCUMENT.get("components")
                        .get("securitySchemes")
                        .get("token")
                        .get("scheme")
                        .asString())
                .isEqualTo("bearer");
        List<String> ids = new ArrayList<>();
        for (JsonNode path : DOCUMENT.get("paths")) {
            for (JsonNode operation : path) {
                ids.add(operation.get("operationId").asString());
                for (Map.Entry<String, JsonNode> response :
                        operation.get("responses").properties()) {
                    assertThat(response.getKey()).matches("[1-5][0-9][0-9]|default");
                    assertThat(response.getValue().has("description")
                                    || response.getValue().has("$ref"))
                            .isTrue();
                }
            }
        }
        assertThat(ids).doesNotHaveDuplicates().hasSize(Operations.all().size());
    }

    @Test
    void aRecordsFieldsAreNamedTypedAndRequiredAsTheJsonIs() {
        JsonNode create = DOCUMENT.get("components").get("schemas").get("CreateSandbox");
        assertThat(create.has("required")).isFalse();
        assertThat(create.get("additionalProperties").asBoolean()).isFalse();
        assertThat(create.get("properties").get("memory_bytes").get("type").asString())
                .isEqualTo("integer");
        assertThat(create.get("properties").get("primary").get("$ref").asString())
                .isEqualTo("#/components/schemas/StartSession");
        JsonNode session = DOCUMENT.get("components").get("schemas").get("StartSession");
        assertThat(session.get("properties").has("argv_b64")).isTrue();
        JsonNode exec = DOCUMENT.get("components").get("schemas").get("ExecRequest");
        assertThat(exec.get("required").get(0).asString()).isEqualTo("session");
    }
}
