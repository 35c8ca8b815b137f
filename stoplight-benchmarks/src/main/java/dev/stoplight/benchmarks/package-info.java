/** The command line of the benchmarks. */
@NullMarked
package dev.stoplight.benchmarks;

import org.jspecify.annotations.NullMarked;
