package dev.stoplight.sample;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The unreliable payment provider. It knows nothing of breakers, and the shop reaches it over HTTP only. */
@RestController
@RequestMapping("/provider")
class ProviderController {

    private final SharedKnobs knobs;

    ProviderController(SharedKnobs knobs) {
        this.knobs = knobs;
    }

    /** Answers after the latency, without holding a thread meanwhile. */
    @PostMapping({"/payments", "/risk", "/payouts/{merchant}"})
    CompletableFuture<ResponseEntity<Map<String, String>>> handle(@PathVariable(required = false) @Nullable String merchant) {
        Knobs now = knobs.current();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        boolean fails = random.nextInt(100) < now.errorRate() || (merchant != null && now.broken().contains(merchant));
        long latency = Math.round(now.latencyMillis() * random.nextDouble(0.8, 1.2));
        return CompletableFuture.supplyAsync(
                () -> fails
                        ? ResponseEntity.internalServerError().body(Map.of("error", "out of order"))
                        : ResponseEntity.ok(Map.of("result", "done")),
                CompletableFuture.delayedExecutor(latency, TimeUnit.MILLISECONDS));
    }

    @GetMapping
    Knobs knobs() {
        return knobs.current();
    }

    /** Turns the knobs that are given. */
    @PutMapping
    Knobs turn(
            @RequestParam(name = "error-rate") @Nullable Integer errorRate,
            @RequestParam @Nullable Integer latency,
            @RequestParam @Nullable Set<String> broken) {
        Knobs now = knobs.current();
        knobs.turn(new Knobs(
                errorRate == null ? now.errorRate() : errorRate,
                latency == null ? now.latencyMillis() : latency,
                broken == null ? now.broken() : broken));
        return knobs.current();
    }

    @ExceptionHandler
    ResponseEntity<Map<String, String>> refuse(IllegalArgumentException e) {
        return ResponseEntity.status(HttpStatus.BAD_REQUEST).body(Map.of("error", String.valueOf(e.getMessage())));
    }
}
