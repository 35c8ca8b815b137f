package dev.stoplight.spring;

import dev.stoplight.BreakerSetting;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.Environment;

/** Explains a wrong value under {@code stoplight.*}: which property, which rule, which value, and where it was read from. */
final class StoplightBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("stoplight");

    /** A problem begins with the name of the property, which has spaces only in brackets. */
    private static final Pattern PROPERTY = Pattern.compile("(?:\\[.*?]|[^ ])+");

    private final Environment environment;

    StoplightBindFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationPropertyName name = cause.getName();
        if (!PREFIX.equals(name) && !PREFIX.isAncestorOf(name)) {
            return null;
        }
        String problem = problem(name, cause);
        if (problem == null) {
            return null;
        }
        Matcher property = PROPERTY.matcher(problem);
        String description = problem + "." + (property.lookingAt() ? origin(ConfigurationPropertyName.adapt(property.group(), '.')) : "");
        return new FailureAnalysis(description, "Correct the value, or remove the property to use the default.", cause);
    }

    private @Nullable String problem(ConfigurationPropertyName name, BindException cause) {
        ConversionFailedException conversion = findCause(cause, ConversionFailedException.class);
        if (conversion != null) {
            return ofConversion(name, conversion);
        }
        ConverterNotFoundException noConverter = findCause(cause, ConverterNotFoundException.class);
        if (noConverter != null) {
            return isSection(noConverter.getTargetType().getType()) ? ofSection(name) : null;
        }
        return NestedExceptionUtils.getMostSpecificCause(cause) instanceof IllegalArgumentException ? ofRecord(name, cause) : null;
    }

    private static boolean isSection(Class<?> type) {
        return type.isRecord() || type == Map.class;
    }

    private String ofSection(ConfigurationPropertyName name) {
        ConfigurationProperty given = find(name);
        return name + " must be a section with properties of its own" + (given == null ? "" : ", was " + given.getValue());
    }

    /** The messages of the records begin with the name of the property in them. */
    private static String ofRecord(ConfigurationPropertyName name, BindException cause) {
        return name + "." + NestedExceptionUtils.getMostSpecificCause(cause).getMessage();
    }

    private static String ofConversion(ConfigurationPropertyName name, ConversionFailedException conversion) {
        Object value = conversion.getValue();
        Class<?> type = conversion.getTargetType().getType();
        if (type.isEnum()) {
            String allowed = Arrays.stream(type.getEnumConstants())
                    .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "));
            return name + " must be one of " + allowed + ", was " + value;
        }
        if (type == Class.class) {
            return name + " must list classes that exist, was " + value;
        }
        try {
            if (value != null) {
                BreakerSetting.of(name.getLastElement(Form.UNIFORM)).parse(value);
            }
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.startsWith("unknown setting")) {
                return name.getParent() + "." + message;
            }
        }
        return name + " must be a " + type.getSimpleName() + ", was " + value;
    }

    private String origin(ConfigurationPropertyName name) {
        ConfigurationProperty given = find(name);
        return given == null || given.getOrigin() == null ? "" : " It was read from " + given.getOrigin() + ".";
    }

    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    /** Before the analyzer that knows only types and no rules. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
