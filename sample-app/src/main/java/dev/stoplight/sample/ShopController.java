package dev.stoplight.sample;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSnapshot;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP, and what its page shows. */
@RestController
class ShopController {

    private final Shop shop;
    private final Traffic traffic;
    private final SharedKnobs knobs;
    private final BreakerRegistry registry;
    private final AnotherInstance another;
    private final String redis;

    ShopController(
            Shop shop,
            Traffic traffic,
            SharedKnobs knobs,
            BreakerRegistry registry,
            AnotherInstance another,
            @Value("${" + EmbeddedRedis.DESCRIPTION + ":the one that is configured}") String redis) {
        this.shop = shop;
        this.traffic = traffic;
        this.knobs = knobs;
        this.registry = registry;
        this.another = another;
        this.redis = redis;
    }

    @PostMapping("/orders")
    Receipt order(@RequestParam(defaultValue = "a book") String item) {
        return shop.order(item);
    }

    @PostMapping("/payouts/{merchant}")
    Receipt payOut(@PathVariable String merchant) {
        return shop.payOut(merchant);
    }

    @PostMapping("/risk")
    CompletableFuture<Receipt> assessRisk(@RequestParam(defaultValue = "a book") String item) {
        return shop.assessRisk(item);
    }

    @PostMapping("/traffic")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void start() {
        traffic.start();
    }

    @DeleteMapping("/traffic")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void stop() {
        traffic.stop();
    }

    /** A light as this instance sees it, without asking Redis. */
    record LightNow(String id, String state, long retryAfterMillis) {

        static LightNow of(String id, BreakerSnapshot seen) {
            return new LightNow(id, seen.state().name(), seen.retryAfter().toMillis());
        }
    }

    /** Everything that the page shows; {@code calls} are those after the last one that it knows. */
    record Page(
            String instance,
            String redis,
            boolean redisUp,
            String anotherInstance,
            long now,
            long trafficSeconds,
            Knobs knobs,
            List<LightNow> lights,
            List<CallLog.Call> calls) {}

    @GetMapping("/shop")
    Page page(@RequestParam(defaultValue = "0") long after) {
        Stream<Breaker> breakers = Stream.concat(
                Stream.of("payments", "risk").map(registry::breaker),
                Shop.MERCHANTS.stream().map(merchant -> registry.breaker("payouts", merchant)));
        List<LightNow> lights = breakers.map(breaker -> LightNow.of(breaker.id(), breaker.lastSeen())).toList();
        return new Page(
                registry.instance(),
                redis,
                registry.storeStatus().up(),
                another.command(),
                System.currentTimeMillis(),
                traffic.remaining().toSeconds(),
                knobs.current(),
                lights,
                shop.callsAfter(after));
    }
}
