package dev.stoplight.sample;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.ApplicationArguments;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Knows how to start another instance that shares this one's lights. */
@Component
class AnotherInstance {

    private static final List<String> SHARED = List.of("sample.redis.", "spring.data.redis.", "stoplight.key-prefix");
    private static final List<String> SECRET = List.of("password", "url");

    private final ApplicationArguments arguments;
    private final Environment environment;

    AnotherInstance(ApplicationArguments arguments, Environment environment) {
        this.arguments = arguments;
        this.environment = environment;
    }

    /** The command, with the arguments of this instance that lead to the same Redis. */
    String command() {
        int port = environment.getRequiredProperty("local.server.port", int.class) + 1;
        String given = Stream.concat(Stream.of("--server.port=" + port), arguments.getOptionNames().stream()
                        .filter(name -> SHARED.stream().anyMatch(name::startsWith))
                        .sorted()
                        .map(name -> "--" + name + "=" + value(name)))
                .collect(Collectors.joining(" "));
        String property = "-Dspring-boot.run.arguments=" + given;
        return "mvn -q -pl sample-app -am spring-boot:run " + (given.contains(" ") ? '"' + property + '"' : property);
    }

    /** A secret is left for the reader to fill in. */
    private String value(String name) {
        return SECRET.stream().anyMatch(name::endsWith) ? "…" : String.join(",", arguments.getOptionValues(name));
    }
}
