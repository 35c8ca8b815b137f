/** A small shop that depends on an unreliable payment provider. {@link dev.stoplight.sample.Payments} is the class to read. */
@NullMarked
package dev.stoplight.sample;

import org.jspecify.annotations.NullMarked;
