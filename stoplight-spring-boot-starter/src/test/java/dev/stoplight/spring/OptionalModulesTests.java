package dev.stoplight.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes that must be usable without a module that others of ours need. */
class OptionalModulesTests {

    @ParameterizedTest
    @CsvSource({
        "StoplightRedisAutoConfiguration, spring-boot-data-redis",
        "StoplightRedisClient, spring-boot-data-redis",
        "CallPlans, reactor-core",
    })
    void aClassIsUsableWithoutTheModule(String type, String module) throws Exception {
        String[] complete = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] classPath = Stream.of(complete)
                .filter(path -> !path.contains(File.separator + module + "-"))
                .map(OptionalModulesTests::url)
                .toArray(URL[]::new);
        assertThat(classPath).as("the class path without " + module).hasSizeLessThan(complete.length);
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            assertThatCode(() -> Class.forName("dev.stoplight.spring." + type, true, loader).getDeclaredMethods())
                    .doesNotThrowAnyException();
        }
    }

    private static URL url(String path) {
        try {
            return new File(path).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }
}
