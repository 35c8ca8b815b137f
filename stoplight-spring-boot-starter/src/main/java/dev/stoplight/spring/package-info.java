/**
 * Circuit breakers for Spring Boot: annotate a method with {@code @CircuitBreaker}, and every instance of the
 * service shares one light for it.
 */
@NullMarked
package dev.stoplight.spring;

import org.jspecify.annotations.NullMarked;
