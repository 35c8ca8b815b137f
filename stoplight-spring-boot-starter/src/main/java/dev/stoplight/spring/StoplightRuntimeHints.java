package dev.stoplight.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep although no code refers to it. */
final class StoplightRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/stoplight/redis/*.lua").registerPattern("dev/stoplight/spring/dashboard/*");
        hints.reflection()
                .registerType(CircuitBreaker.class, MemberCategory.INVOKE_DECLARED_METHODS)
                .registerType(KeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS)
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        type -> type.withField(StoplightRedisClient.CONFIGURATION));
    }
}
