package dev.stoplight.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts: each is a resource of its name behind the part that all share. */
enum Script {
    RECORD,
    COUNT,
    CLEAR,
    ACQUIRE,
    SETTLE,
    ADMIN,
    READ,
    RESTORE;

    private final String source = resource("common") + resource(label());
    private final String sha = sha1(source);

    /** The name in metrics and of the resource. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String source() {
        return source;
    }

    String sha() {
        return sha;
    }

    private static String resource(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + ".lua is missing beside " + Script.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-1", e);
        }
    }
}
