package dev.cortex.cli.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JSON value. Reading what is not there gives nothing instead of failing: a daemon may be newer or older than we are. */
public sealed interface Json {
    Json ABSENT = new Absent();

    record Absent() implements Json {}

    record Null() implements Json {}

    record Text(String value) implements Json {}

    record Bool(boolean value) implements Json {}

    record Whole(long value) implements Json {}

    record Decimal(double value) implements Json {}

    record Items(List<Json> values) implements Json {}

    record Members(Map<String, Json> values) implements Json {}

    static Json of(String value) {
        return new Text(value);
    }

    static Json of(long value) {
        return new Whole(value);
    }

    static Json of(double value) {
        return new Decimal(value);
    }

    static Json of(boolean value) {
        return new Bool(value);
    }

    static Json of(List<Json> values) {
        return new Items(values);
    }

    /** An object that is filled with {@link Building#put}. */
    static Building object() {
        return new Building();
    }

    /** Collects the members of an object in their order. */
    final class Building {
        private final Map<String, Json> values = new LinkedHashMap<>();

        public Building put(String name, Json value) {
            if (!(value instanceof Absent)) {
                values.put(name, value);
            }
            return this;
        }

        public Building put(String name, String value) {
            return put(name, of(value));
        }

        public Building put(String name, long value) {
            return put(name, of(value));
        }

        public Building put(String name, boolean value) {
            return put(name, of(value));
        }

        /** Puts it only where there is one. */
        public Building put(String name, Optional<String> value) {
            return value.isPresent() ? put(name, of(value.get())) : this;
        }

        public boolean has(String name) {
            return values.containsKey(name);
        }

        public boolean isEmpty() {
            return values.isEmpty();
        }

        public Json build() {
            return new Members(values);
        }
    }

    default Json get(String name) {
        if (this instanceof Members members) {
            return members.values().getOrDefault(name, ABSENT);
        }
        return ABSENT;
    }

    default boolean isPresent() {
        return !(this instanceof Absent || this instanceof Null);
    }

    /** As text; numbers and booleans as they are written, everything else empty. */
    default String text() {
        if (this instanceof Text text) {
            return text.value();
        }
        if (this instanceof Whole whole) {
            return Long.toString(whole.value());
        }
        if (this instanceof Decimal decimal) {
            return Double.toString(decimal.value());
        }
        return this instanceof Bool bool ? Boolean.toString(bool.value()) : "";
    }

    /** As a whole number, 0 where it is none. */
    default long whole() {
        if (this instanceof Whole whole) {
            return whole.value();
        }
        return this instanceof Decimal decimal ? (long) decimal.value() : 0;
    }

    /** As a number, 0 where it is none. */
    default double decimal() {
        if (this instanceof Decimal decimal) {
            return decimal.value();
        }
        return this instanceof Whole whole ? whole.value() : 0;
    }

    default boolean isTrue() {
        return this instanceof Bool b && b.value();
    }

    default List<Json> items() {
        return this instanceof Items items ? items.values() : List.of();
    }

    default Map<String, Json> members() {
        return this instanceof Members members ? members.values() : Map.of();
    }

    /** The texts of an array's values. */
    default List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (Json item : items()) {
            texts.add(item.text());
        }
        return texts;
    }
}
