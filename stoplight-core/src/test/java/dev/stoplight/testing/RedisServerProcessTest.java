package dev.stoplight.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RedisServerProcessTest {

    static List<Path> executables() {
        return Stream.of(Optional.of(RedisServerProcess.embedded()), RedisServerProcess.installed()).flatMap(Optional::stream).toList();
    }

    @ParameterizedTest
    @MethodSource("executables")
    void aServerCanBeKilledAndRestartedOnItsPort(Path executable) throws IOException {
        try (RedisServerProcess redis = new RedisServerProcess(executable)) {
            assertThat(ask(redis, "SET a 1")).isEqualTo("+OK");

            redis.kill();
            assertThatThrownBy(() -> ask(redis, "PING")).isInstanceOf(IOException.class);

            redis.restart();
            assertThat(ask(redis, "EXISTS a")).isEqualTo(":0");
        }
    }

    @ParameterizedTest
    @MethodSource("executables")
    void aSuspendedServerAnswersNothingUntilItIsResumed(Path executable) throws IOException {
        try (RedisServerProcess redis = new RedisServerProcess(executable)) {
            redis.suspend();
            assertThatThrownBy(() -> ask(redis, "PING")).isInstanceOf(SocketTimeoutException.class);

            redis.resume();
            assertThat(ask(redis, "PING")).isEqualTo("+PONG");
        }
    }

    private static String ask(RedisServerProcess redis, String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port())) {
            socket.setSoTimeout(1000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            StringBuilder line = new StringBuilder();
            for (int c = socket.getInputStream().read(); c != '\r' && c != -1; c = socket.getInputStream().read()) {
                line.append((char) c);
            }
            return line.toString();
        }
    }
}
