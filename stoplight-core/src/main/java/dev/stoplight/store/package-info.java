/** What a store of breaker state must do, and the rules by which every store decides. */
@NullMarked
package dev.stoplight.store;

import org.jspecify.annotations.NullMarked;
