package dev.stoplight.store;

import java.time.Instant;

/**
 * Whether a store can be reached.
 *
 * @param up false while every instance goes on by itself
 * @param since when that began, on this instance's clock
 * @param detail why it is down, or a word about where it is
 */
public record StoreStatus(boolean up, Instant since, String detail) {}
