/** The store that makes the lights shared: Redis, through Lettuce and Lua scripts. */
@NullMarked
package dev.stoplight.redis;

import org.jspecify.annotations.NullMarked;
