package dev.cortex.cli.json;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON as bytes. */
public final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    public static byte[] write(Json value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            write(value, generator);
        }
        return bytes.toByteArray();
    }

    /**
     * @throws NotJsonException when it is none
     */
    public static Json read(byte[] bytes) throws NotJsonException {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
            parser.nextToken();
            return read(parser);
        } catch (JacksonException e) {
            throw new NotJsonException(e.getOriginalMessage());
        }
    }

    /** The bytes are no JSON. */
    public static final class NotJsonException extends java.io.IOException {
        private static final long serialVersionUID = 1L;

        NotJsonException(String message) {
            super("not JSON: " + message);
        }
    }

    /** By instanceof: a pattern switch generates a class at its first use, which takes longer than the writing. */
    private static void write(Json value, JsonGenerator generator) {
        if (value instanceof Json.Text text) {
            generator.writeString(text.value());
        } else if (value instanceof Json.Members members) {
            generator.writeStartObject();
            for (Map.Entry<String, Json> member : members.values().entrySet()) {
                generator.writeName(member.getKey());
                write(member.getValue(), generator);
            }
            generator.writeEndObject();
        } else if (value instanceof Json.Items items) {
            generator.writeStartArray();
            for (Json item : items.values()) {
                write(item, generator);
            }
            generator.writeEndArray();
        } else if (value instanceof Json.Bool bool) {
            generator.writeBoolean(bool.value());
        } else if (value instanceof Json.Whole whole) {
            generator.writeNumber(whole.value());
        } else if (value instanceof Json.Decimal decimal) {
            generator.writeNumber(decimal.value());
        } else {
            generator.writeNull();
        }
    }

    private static Json read(JsonParser parser) throws NotJsonException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new NotJsonException("it is empty");
        }
        return switch (token) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> items(parser);
            case VALUE_STRING -> Json.of(parser.getString());
            case VALUE_NUMBER_INT -> whole(parser);
            case VALUE_NUMBER_FLOAT -> Json.of(parser.getDoubleValue());
            case VALUE_TRUE -> Json.of(true);
            case VALUE_FALSE -> Json.of(false);
            default -> new Json.Null();
        };
    }

    /** Cursors are unsigned; what does not fit into a long is shown as a decimal. */
    private static Json whole(JsonParser parser) {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? Json.of(parser.getDoubleValue())
                : Json.of(parser.getLongValue());
    }

    private static Json members(JsonParser parser) throws NotJsonException {
        Map<String, Json> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, read(parser));
        }
        return new Json.Members(members);
    }

    private static Json items(JsonParser parser) throws NotJsonException {
        List<Json> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(read(parser));
        }
        return new Json.Items(items);
    }
}
