package dev.cortex.drivers.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.Nulls;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** The launcher's JSON: snake_case, what is absent left out, a null list read as empty. */
final class LauncherJson {
    static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultPropertyInclusion(value -> value.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .changeDefaultNullHandling(value -> value.withValueNulls(Nulls.AS_EMPTY))
            .build();

    private LauncherJson() {}
}
