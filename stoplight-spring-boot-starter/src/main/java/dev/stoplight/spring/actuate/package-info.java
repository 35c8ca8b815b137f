/** What an operator sees and changes: the actuator endpoint, health and metrics. */
@NullMarked
package dev.stoplight.spring.actuate;

import org.jspecify.annotations.NullMarked;
