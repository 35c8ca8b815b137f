/**
 * A circuit breaker whose light can be shared by every instance of a service.
 *
 * <p>Start at {@link dev.stoplight.BreakerRegistry}.
 */
@NullMarked
package dev.stoplight;

import org.jspecify.annotations.NullMarked;
