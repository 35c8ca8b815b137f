/** What a call through a breaker costs in one process. */
@NullMarked
package dev.stoplight.benchmarks.core;

import org.jspecify.annotations.NullMarked;
