package dev.stoplight.testing;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis server on a free port of the loopback interface, with nothing on disk: tests may kill, suspend and restart it.
 */
public final class RedisServerProcess implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(20);
    private static final int TRIES = 5;

    private final Path directory;
    private final Path executable;
    private final List<String> arguments;
    private int port;
    private Process process;

    /** Starts the server that comes with the tests. */
    public RedisServerProcess(String... arguments) {
        this(embedded(), arguments);
    }

    /** Starts that executable with arguments beyond the usual ones; a configuration file is the first of them. */
    public RedisServerProcess(Path executable, String... arguments) {
        this.executable = executable;
        this.arguments = List.of(arguments);
        try {
            this.directory = Files.createTempDirectory("stoplight-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> process.destroyForcibly()));
        startOnFreePort();
    }

    /** The server installed on this machine, if there is one: another version than the one that comes with the tests. */
    public static Optional<Path> installed() {
        String path = System.getenv("PATH");
        return path == null
                ? Optional.empty()
                : Stream.of(path.split(File.pathSeparator)).map(dir -> Path.of(dir, "redis-server")).filter(Files::isExecutable).findFirst();
    }

    /** The executable that comes with the tests, unpacked once for each JVM. */
    public static Path embedded() {
        return Embedded.EXECUTABLE;
    }

    private static final class Embedded {

        private static final Path EXECUTABLE = unpack();

        private static Path unpack() {
            try {
                Path directory = Files.createTempDirectory("stoplight-redis-server");
                Path executable = ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
                return executable;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public int port() {
        return port;
    }

    /** {@code redis://127.0.0.1:port}. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the server as a crash would. */
    public void kill() {
        process.destroyForcibly();
        waitForExit();
    }

    /** Stops the server without closing its connections: it hangs. */
    public void suspend() {
        signal("-STOP");
    }

    /** Lets a suspended server go on. */
    public void resume() {
        signal("-CONT");
    }

    /** Starts the server again on the same port, with nothing in it; kills it first if it still runs. */
    public void restart() {
        kill();
        start();
        if (!awaitAnswer()) {
            throw new IllegalStateException("Redis did not come back on port " + port + ": " + output());
        }
    }

    @Override
    public void close() {
        kill();
        delete(directory);
    }

    private void startOnFreePort() {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            port = freePort();
            start();
            if (awaitAnswer()) {
                return;
            }
            kill();
        }
        throw new IllegalStateException("Redis did not start: " + output());
    }

    private void start() {
        List<String> command = new ArrayList<>();
        command.add(executable.toString());
        command.addAll(arguments);
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("output").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether this process, rather than some other that took the port, answers; false as soon as it has ended. */
    private boolean awaitAnswer() {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (process.isAlive() && answers()) {
                return process.isAlive();
            }
            try {
                if (process.waitFor(10, TimeUnit.MILLISECONDS)) {
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while Redis starts", e);
            }
        }
        return false;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private void signal(String signal) {
        try {
            int status = new ProcessBuilder("kill", signal, Long.toString(process.pid())).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IllegalStateException("kill " + signal + " " + process.pid() + " ended with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Redis is signalled", e);
        }
    }

    private void waitForExit() {
        try {
            if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("Redis " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Redis ends", e);
        }
    }

    private String output() {
        try {
            return Files.readString(directory.resolve("output"));
        } catch (IOException e) {
            return "no output: " + e.getMessage();
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // Cluster nodes also take the port 10,000 higher, which must exist.
            return socket.getLocalPort() > 55_000 ? socket.getLocalPort() - 20_000 : socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
