/** Answers HTTP requests whose call was rejected. */
@NullMarked
package dev.stoplight.spring.web;

import org.jspecify.annotations.NullMarked;
