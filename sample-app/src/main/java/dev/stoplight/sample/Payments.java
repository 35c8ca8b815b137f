package dev.stoplight.sample;

import dev.stoplight.spring.CircuitBreaker;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Service;

/** What the shop asks of its payment provider, each request behind a light. */
@Service
class Payments {

    private final ProviderClient provider;

    Payments(ProviderClient provider) {
        this.provider = provider;
    }

    /** One light for all payments; its thresholds are in application.yml. A customer who cannot pay now pays later. */
    @CircuitBreaker(name = "payments", fallback = "payLater")
    Receipt pay(String order) {
        return provider.post("/payments");
    }

    Receipt payLater(String order, Exception cause) {
        return Receipt.without(cause, "shipped, and paid later");
    }

    /** One light for each merchant. There is no fallback: the caller gets the exception, and over HTTP a 503 with Retry-After. */
    @CircuitBreaker(name = "payouts", key = "#merchant", threshold = 3, window = "10s", coolOff = "5s")
    Receipt payOut(String merchant) {
        return provider.post("/payouts/" + merchant);
    }

    /** An asynchronous call, recorded when it completes; its fallback is asynchronous too. */
    @CircuitBreaker(name = "risk", fallback = "assumeAverageRisk")
    CompletableFuture<Receipt> assessRisk(String order) {
        return provider.postAsync("/risk");
    }

    CompletableFuture<Receipt> assumeAverageRisk(String order, Exception cause) {
        return CompletableFuture.completedFuture(Receipt.without(cause, "average risk assumed"));
    }
}
