package dev.stoplight.sample;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.CircuitOpenException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/** Uses {@link Payments} as any bean would, and writes down how each call went. */
@Service
class Shop {

    static final List<String> MERCHANTS = List.of("books", "bikes", "coffee");

    private final Payments payments;
    private final BreakerRegistry registry;
    private final CallLog log = new CallLog();

    Shop(Payments payments, BreakerRegistry registry) {
        this.payments = payments;
        this.registry = registry;
    }

    Receipt order(String order) {
        long start = System.nanoTime();
        Receipt receipt = payments.pay(order);
        note("payments", receipt, start);
        return receipt;
    }

    Receipt payOut(String merchant) {
        String breaker = "payouts:" + merchant;
        long start = System.nanoTime();
        try {
            Receipt receipt = payments.payOut(merchant);
            note(breaker, receipt, start);
            return receipt;
        } catch (ProviderException | CircuitOpenException e) {
            note(breaker, Receipt.without(e, "not paid out"), start);
            throw e;
        }
    }

    CompletableFuture<Receipt> assessRisk(String order) {
        long start = System.nanoTime();
        return payments.assessRisk(order).thenApply(receipt -> {
            note("risk", receipt, start);
            return receipt;
        });
    }

    List<CallLog.Call> callsAfter(long number) {
        return log.after(number);
    }

    private void note(String breaker, Receipt receipt, long start) {
        long nanos = System.nanoTime() - start;
        boolean slow = receipt.outcome() == Receipt.Outcome.DONE
                && registry.findById(breaker).flatMap(Shop::slowFrom).filter(limit -> nanos >= limit.toNanos()).isPresent();
        String outcome = slow ? "slow" : receipt.outcome().name().toLowerCase(Locale.ROOT);
        log.add(breaker, outcome, receipt.probe(), TimeUnit.NANOSECONDS.toMicros(nanos));
    }

    private static Optional<Duration> slowFrom(Breaker breaker) {
        return breaker.settings().slowCall();
    }
}
