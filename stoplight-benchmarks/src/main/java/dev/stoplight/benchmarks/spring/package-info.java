/** What the annotation adds to a call of a Spring bean. */
@NullMarked
package dev.stoplight.benchmarks.spring;

import org.jspecify.annotations.NullMarked;
