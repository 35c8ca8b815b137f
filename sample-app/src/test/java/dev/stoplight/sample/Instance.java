package dev.stoplight.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The sample in a process of its own, on a free port, used over HTTP as a visitor would. */
public final class Instance implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Pattern ADDRESS = Pattern.compile("http://localhost:(\\d+)\\S*/ ");
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path output;
    private final Process process;
    private final int port;

    public Instance(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SampleApplication.class.getName(),
                "--server.port=0",
                // Other tests may keep the machine busy.
                "--stoplight.redis.timeout=5s"));
        command.addAll(List.of(arguments));
        try {
            output = Files.createTempFile("stoplight-sample", ".log");
            process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        await().atMost(START_LIMIT).until(() -> !process.isAlive() || ADDRESS.matcher(output()).find());
        Matcher address = ADDRESS.matcher(output());
        assertThat(address.find()).as(this::output).isTrue();
        port = Integer.parseInt(address.group(1));
    }

    public int port() {
        return port;
    }

    /** Everything that it has printed. */
    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public HttpResponse<String> send(String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + path + " is asked for", e);
        }
    }

    public JsonNode json(String method, String path) {
        HttpResponse<String> response = send(method, path);
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
        return JSON.readTree(response.body());
    }

    /** The light as this instance sees it; empty while it was not used here. */
    String light(String breaker) {
        return json("GET", "/shop").path("lights").valueStream()
                .filter(light -> light.path("id").asString().equals(breaker))
                .map(light -> light.path("state").asString())
                .findFirst()
                .orElse("");
    }

    /** The calls of that breaker on this instance, oldest first. */
    Stream<JsonNode> calls(String breaker) {
        return json("GET", "/shop").path("calls").valueStream().filter(call -> call.path("breaker").asString().equals(breaker));
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("the sample did not end by itself: " + output());
            }
            Files.deleteIfExists(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the sample ends", e);
        }
    }
}
