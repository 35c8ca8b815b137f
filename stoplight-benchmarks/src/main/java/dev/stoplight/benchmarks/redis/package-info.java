/** What sharing the lights through Redis costs, and how fast a change reaches the fleet. */
@NullMarked
package dev.stoplight.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
