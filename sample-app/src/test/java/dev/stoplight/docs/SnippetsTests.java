package dev.stoplight.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stoplight.spring.StoplightProperties;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What the documents show is used as it stands. */
final class SnippetsTests {

    private static final Map<String, String> CHECKED = Map.of(
            "java", "compiled here",
            "yaml", "bound here",
            "xml", "compared with the build here",
            "kotlin", "compared with the build here",
            "shell", "run by CommandsTests and .ci/walk",
            "text", "output and diagrams");

    static Stream<Markdown.Block> java() {
        return Markdown.blocks("java");
    }

    static Stream<Markdown.Block> yaml() {
        return Markdown.blocks("yaml");
    }

    static Stream<Markdown.Block> dependencies() {
        return Stream.concat(Markdown.blocks("xml"), Markdown.blocks("kotlin"));
    }

    @Test
    void everyBlockIsOfAKindThatIsChecked() {
        assertThat(Markdown.all()).flatExtracting(Markdown::blocks).allMatch(block -> CHECKED.containsKey(block.language()));
    }

    @ParameterizedTest
    @MethodSource("java")
    void javaCompiles(Markdown.Block block, @TempDir Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8)) {
            files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
            List<String> options = List.of("-proc:none", "-parameters", "-cp", System.getProperty("java.class.path"));
            compiler.getTask(null, files, problems, options, null, List.of(new Source(unit(block.text())))).call();
        }
        assertThat(problems.getDiagnostics()).as(block + "\n" + unit(block.text())).isEmpty();
    }

    /** Statements become the body of a method; a snippet with types is a file as it is. */
    private static String unit(String snippet) {
        return snippet.contains("class ") || snippet.contains("interface ") ? snippet : """
                import dev.stoplight.*;
                import dev.stoplight.redis.*;
                import dev.stoplight.store.*;
                import io.lettuce.core.*;
                import java.time.Duration;
                import java.util.concurrent.*;

                class Snippet {
                    String callTheProvider() throws Exception { return "done"; }

                    CompletionStage<String> callTheProviderLater() { return CompletableFuture.completedFuture("done"); }

                    void run() throws Exception {
                %s
                    }
                }
                """.formatted(snippet);
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        private Source(String code) {
            super(URI.create("string:///Snippet.java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void yamlBindsWithNothingLeftOver(Markdown.Block block) throws IOException {
        List<PropertySource<?>> sources =
                new YamlPropertySourceLoader().load("snippet", new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)));

        assertThat(sources).as(block.toString()).isNotEmpty();
        new Binder(ConfigurationPropertySources.from(sources))
                .bindOrCreate("stoplight", Bindable.of(StoplightProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("dependencies")
    void dependenciesAreThoseThatThisBuildProduces(Markdown.Block block) throws IOException {
        String pom = Files.readString(Markdown.ROOT.resolve("pom.xml"));
        String version = pom.replaceAll("(?s).*?<version>(.*?)</version>.*", "$1");

        assertThat(block.text()).contains("dev.stoplight", "stoplight-spring-boot-starter", version);
    }
}
