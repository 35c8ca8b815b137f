/** Runs measurements side by side and turns them into tables, JSON and plots. */
@NullMarked
package dev.stoplight.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
