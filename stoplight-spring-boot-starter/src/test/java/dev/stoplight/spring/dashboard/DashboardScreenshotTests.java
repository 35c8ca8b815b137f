package dev.stoplight.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSettings;
import dev.stoplight.spring.actuate.ServiceInstance;
import dev.stoplight.store.MemoryBreakerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.boot.WebApplicationType;

/** Pictures of every state for people to look at, in the build folder. */
class DashboardScreenshotTests {

    private static final List<String> LOOKS = List.of("light", "dark", "phone", "phone-dark");

    /** How far in the past the lights live while their past is played. */
    private final AtomicLong behindNanos = new AtomicLong(Duration.ofMinutes(14).toNanos());

    private final long startMicros = Instant.now().toEpochMilli() * 1000;
    private final long startNanos = System.nanoTime();
    private final MemoryBreakerStore store = new MemoryBreakerStore(() -> startMicros + (nanos() - startNanos) / 1000);

    private long nanos() {
        return System.nanoTime() - behindNanos.get();
    }

    @Test
    void everyStateIsPictured() {
        String[] properties = {
            "stoplight.instance-id=shop-7c9f",
            "stoplight.dashboard.enabled=true",
            "stoplight.defaults.window=5m",
            "stoplight.breakers.payments.cool-off=3m",
            "stoplight.breakers.mail.probe-timeout=10m",
        };
        try (Browser browser = Browser.start();
                ServiceInstance service = ServiceInstance.start(WebApplicationType.SERVLET, store, properties)) {
            for (String name : List.of("catalog", "InventoryClient.reserve", "shipping-quotes", "search", "recommendations")) {
                service.breaker(name).run(() -> {});
            }
            LOOKS.forEach(look -> {
                open(browser, service, look, "");
                browser.see(".row.green");
                browser.screenshot(look + "-1-green");
            });
            playThePast();
            playThePresent(service);
            LOOKS.forEach(look -> picture(browser, service, look));
        }
    }

    private static void open(Browser browser, ServiceInstance service, String look, String hash) {
        browser.scheme(look.endsWith("dark") ? "dark" : "light");
        if (look.startsWith("phone")) {
            browser.phone();
        } else {
            browser.desktop();
        }
        browser.open(service.url("/stoplight/" + hash));
        browser.see(".freshness", "Live");
    }

    private static void picture(Browser browser, ServiceInstance service, String look) {
        open(browser, service, look, "");
        browser.see(".row.red .countdown", ":");
        browser.screenshot(look + "-2-list");
        for (String id : List.of("payments", "mail", "catalog", "ledger", "orders", "quotes:acme%2Feu-west")) {
            open(browser, service, look, "#/" + id);
            browser.see("#detail .timeline");
            browser.screenshot(look + "-3-detail-" + id.replaceAll("\\W+", "-"));
        }
        open(browser, service, look, "#/payments");
        browser.see("#detail .timeline");
        browser.script("document.querySelector('.part-failures').scrollIntoView()");
        browser.screenshot(look + "-4-failures");
        browser.script("document.querySelector('.part-settings').scrollIntoView()");
        browser.screenshot(look + "-5-settings");
        browser.script("document.querySelector('.part-instances').scrollIntoView({block: 'end'})");
        browser.screenshot(look + "-6-instances");
        browser.click("[data-action=lock-open]", "Lock open");
        browser.see("dialog", "Lock open");
        browser.screenshot(look + "-7-confirm");
        browser.click("#dialog-cancel", "Cancel");
        browser.click("[data-focus=change-window]", "Change");
        browser.see("#new-value").clear();
        browser.see("#new-value").sendKeys("soon", Keys.ENTER);
        browser.see("#dialog-error", "window must be");
        browser.screenshot(look + "-8-refused");
    }

    /** A quarter of an hour of another instance's life, in a moment. */
    private void playThePast() {
        try (BreakerRegistry elsewhere = BreakerRegistry.builder()
                .store(store)
                .ticker(this::nanos)
                .instance("shop-b41e")
                .defaults(BreakerSettings.builder()
                        .coolOff(Duration.ofSeconds(75))
                        .window(Duration.ofMinutes(5))
                        .probeTimeout(Duration.ofMinutes(10))
                        .build())
                .build()) {
            for (String name : List.of("payments", "mail")) {
                elsewhere.breaker(name).run(() -> {});
            }
            pass(Duration.ofMinutes(1));
            fail(elsewhere.breaker("payments"), 3, "Connection refused: payments.internal/10.2.0.14:8443");
            pass(Duration.ofSeconds(75));
            fail(elsewhere.breaker("payments"), 1, "Read timed out");
            fail(elsewhere.breaker("mail"), 3, "421 4.7.0 Try again later");
            pass(Duration.ofSeconds(100));
            elsewhere.breaker("payments").run(() -> {});
            elsewhere.breaker("mail").run(() -> {});
            pass(Duration.ofSeconds(260));
            fail(elsewhere.breaker("mail"), 3, "421 4.7.0 Try again later");
            pass(Duration.ofSeconds(120));
            elsewhere.breaker("mail").acquire();
            fail(elsewhere.breaker("payments"), 2, "Connection refused: payments.internal/10.2.0.14:8443");
            fail(elsewhere.breaker("search"), 1, "HTTP 503");
            pass(Duration.ofSeconds(60));
        }
        behindNanos.set(0);
    }

    private void pass(Duration time) {
        behindNanos.addAndGet(-time.toNanos());
    }

    private static void playThePresent(ServiceInstance service) {
        service.breaker("payments").run(() -> {});
        service.breaker("mail");
        service.fail(service.breaker("payments"), 3, "SSLHandshakeException: Received fatal alert: certificate_expired");
        service.fail(service.breaker("search"), 1, "HTTP 503");
        service.fail(service.breaker("quotes", "acme/eu-west"), 1, "timeout");
        service.breaker("ledger").lock(BreakerLock.OPEN);
        service.breaker("fraud-check").lock(BreakerLock.CLOSED);
        service.breaker("orders").configure(BreakerSettings.builder().enabled(false).build());
        service.breaker("catalog").configure(BreakerSettings.builder().threshold(20).coolOff(Duration.ofSeconds(30)).build());
        service.fail(service.breaker("catalog"), 7, "HTTP 500");
    }

    private static void fail(Breaker breaker, int times, String message) {
        for (int i = 0; i < times; i++) {
            assertThatIllegalStateException().isThrownBy(() -> breaker.run(() -> {
                throw new IllegalStateException(message);
            }));
        }
    }
}
