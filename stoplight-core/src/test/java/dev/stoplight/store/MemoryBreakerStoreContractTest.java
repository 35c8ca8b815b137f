package dev.stoplight.store;

import dev.stoplight.BreakerContractTest;
import dev.stoplight.testing.TestClock;

final class MemoryBreakerStoreContractTest extends BreakerContractTest {

    private final MemoryBreakerStore shared = new MemoryBreakerStore(clock);

    @Override
    protected BreakerStore newStore(TestClock clock) {
        return shared;
    }
}
