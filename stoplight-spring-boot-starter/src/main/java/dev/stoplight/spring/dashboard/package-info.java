/** The dashboard: one page that shows every light and lets an operator change it. */
@NullMarked
package dev.stoplight.spring.dashboard;

import org.jspecify.annotations.NullMarked;
