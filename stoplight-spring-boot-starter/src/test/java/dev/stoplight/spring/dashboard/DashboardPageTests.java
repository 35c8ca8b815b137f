package dev.stoplight.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.stoplight.Breaker;
import dev.stoplight.BreakerLock;
import dev.stoplight.BreakerRegistry;
import dev.stoplight.BreakerSetting;
import dev.stoplight.BreakerSettings;
import dev.stoplight.BreakerState;
import dev.stoplight.redis.RedisBreakerStore;
import dev.stoplight.spring.actuate.ServiceInstance;
import dev.stoplight.store.MemoryBreakerStore;
import dev.stoplight.testing.RedisServerProcess;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The page in a real browser. */
class DashboardPageTests {

    private static final String HOSTILE = "\"><img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>&lt;b&gt;";

    /** A refund that looks like something else, and an error that looks like a success. */
    private static final String TURNED_NAME = "\u202Ednufer\u2066\u200F";

    private static final String TURNED_MESSAGE = "\u2068ko\u202E.deliaf";

    private static final String CHANGES = ".part-actions button, .settings button";
    private static final String REFUSED_CHANGES = "#detail button[aria-disabled=true][title^=\"The store is down\"]";

    private static final MemoryBreakerStore STORE = new MemoryBreakerStore();
    private static Browser browser;
    private static ServiceInstance service;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        service = ServiceInstance.start(
                WebApplicationType.SERVLET,
                STORE,
                "stoplight.instance-id=shop-7c9f",
                "stoplight.dashboard.enabled=true",
                "stoplight.defaults.window=10m",
                "stoplight.breakers.quick.cool-off=3s",
                "stoplight.breakers.brief.window=1s",
                "stoplight.breakers.mail.cool-off=1ms");
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            service.close();
        }
    }

    @BeforeEach
    void desktop() {
        browser.desktop();
        browser.scheme("light");
    }

    @AfterEach
    void forgetAll() {
        service.bean(BreakerRegistry.class).breakers().toList().forEach(Breaker::forget);
    }

    private static void openPage() {
        browser.open(service.url("/stoplight"));
        browser.see(".freshness", "Live");
    }

    private static void openDetail(String name) {
        openPage();
        browser.click(".row .name", name);
        browser.see("#detail-title", name);
    }

    @Test
    void lightTurnsRedOnThePageWhenItTrips() {
        service.breaker("catalog");
        service.breaker("payments");
        openPage();
        assertThat(browser.texts(".row .name")).containsExactly("catalog", "payments");
        browser.see(".row.green", "payments");

        service.fail(service.breaker("payments"), 3, "down");

        browser.see(".row.red", "payments");
        assertThat(browser.texts(".row .name")).as("red first").containsExactly("payments", "catalog");
        assertThat(browser.texts(".row-state b")).as("in words too").containsExactly("Red", "Green");
        assertThat(browser.texts(".filter.red b")).containsExactly("1");
        assertThat(browser.title()).isEqualTo("(1 red) Stoplight");
        assertThat(browser.script("return document.getElementById('announcer').textContent")).isEqualTo("payments turned red");
    }

    @Test
    void redLightCountsDownAndTurnsYellow() {
        service.fail(service.breaker("payments"), 3, "down");
        service.fail(service.breaker("quick"), 3, "down");
        openPage();

        int first = seconds(browser.see(".row.red .countdown").getText());
        await().until(() -> seconds(browser.see(".row.red .countdown").getText()) < first - 1);
        assertThat(first).isBetween(40, 60);
        browser.see(".row.yellow", "quick");
        browser.see(".row.yellow", "Waits for a probe");
        browser.see(".row.red", "payments");
    }

    private static int seconds(String clock) {
        Matcher matcher = Pattern.compile("(\\d+):(\\d\\d)").matcher(clock);
        assertThat(matcher.matches()).as(clock).isTrue();
        return 60 * Integer.parseInt(matcher.group(1)) + Integer.parseInt(matcher.group(2));
    }

    @Test
    void failuresAreShownAgainstTheThreshold() {
        service.fail(service.breaker("payments"), 2, "down");
        openPage();

        browser.see(".row", "2 / 3");
        assertThat(browser.texts(".row .pip")).hasSize(3);
        assertThat(browser.texts(".row .pip.full")).hasSize(2);
    }

    @Test
    void operatorLocksAndUnlocksAfterConfirming() {
        Breaker payments = service.breaker("payments");
        openDetail("payments");

        browser.click("[data-action=lock-open]", "Lock open");
        browser.see("dialog", "Every instance rejects every call");
        browser.click("#dialog-cancel", "Cancel");
        browser.seeNo("dialog");
        assertThat(payments.lastSeen().lock()).isNull();

        browser.click("[data-action=lock-open]", "Lock open");
        browser.click("#dialog-confirm", "Lock open");
        browser.seeNo("dialog");
        browser.see("#detail .chip-lock", "locked open");
        browser.see(".row.red .chip-lock", "locked open");
        assertThat(payments.lastSeen().lock()).isEqualTo(BreakerLock.OPEN);

        browser.click("[data-action=unlock]", "Unlock");
        browser.click("#dialog-confirm", "Unlock");
        browser.seeNo("#detail .chip-lock");
        assertThat(payments.lastSeen().lock()).isNull();
    }

    @Test
    void operatorResetsAndForgets() {
        Breaker payments = service.breaker("payments");
        service.fail(payments, 3, "down");
        openDetail("payments");

        browser.click("[data-action=reset]", "Reset");
        browser.click("#dialog-confirm", "Reset");
        browser.see("#detail .chip-state", "Green");
        assertThat(payments.state()).isEqualTo(BreakerState.CLOSED);

        browser.click("[data-focus=forget]", "Forget");
        browser.click("#dialog-confirm", "Forget");
        browser.seeNo("#detail");
        browser.see("#empty", "No breakers yet");
    }

    @Test
    void settingIsChangedAndARefusalIsShown() {
        Breaker payments = service.breaker("payments");
        openDetail("payments");

        browser.click("[data-focus=change-threshold]", "Change");
        browser.see("#new-value").clear();
        browser.see("#new-value").sendKeys("0");
        browser.click("#dialog-confirm", "Change");
        browser.see("#dialog-error", "threshold must be at least 1, was 0");

        browser.see("#new-value").clear();
        browser.see("#new-value").sendKeys("7", Keys.ENTER);
        browser.seeNo("dialog");
        browser.see(".settings .is-runtime", "7");
        assertThat(payments.settings().threshold()).isEqualTo(7);

        browser.click("[data-action=clear-overrides]", "Clear changes");
        browser.click("#dialog-confirm", "Clear changes");
        browser.seeNo(".settings .is-runtime");
        assertThat(payments.settings().threshold()).isEqualTo(3);
    }

    @Test
    void namesOfSettingsAreReadBesideTheNameOfAClass() {
        service.breaker("payments").configure(BreakerSettings.builder()
                .set("ignore-exceptions", "org.springframework.beans.factory.UnsatisfiedDependencyException,java.io.IOException")
                .build());
        openDetail("payments");
        browser.see(".settings .value", "UnsatisfiedDependencyException");

        String broken = """
                return [...document.querySelectorAll('.settings tbody th')].filter((th) => {
                  const text = document.createRange();
                  text.selectNodeContents(th);
                  return text.getClientRects().length > (arguments[0] ? th.textContent.split('-').length : 1);
                }).map((th) => th.textContent)""";
        assertThat((List<?>) browser.script(broken, false)).isEmpty();
        browser.phone();
        assertThat((List<?>) browser.script(broken, true)).as("only hyphens are broken at").isEmpty();
        assertThat((Long) browser.script("return document.querySelector('.settings td.value').offsetWidth")).isGreaterThan(90);
        assertThat((Boolean) browser.script("return document.querySelector('.settings').offsetWidth"
                        + " <= document.querySelector('.part-settings .part-top').offsetWidth"))
                .as("it stays in its card")
                .isTrue();
        browser.script("document.querySelector('[data-focus=change-minimum-calls]').scrollIntoView()");
        browser.screenshot("class-names-phone");
        assertNoSidewaysScrolling();
    }

    @Test
    void detailShowsWhatHappened() {
        Breaker mail = service.breaker("mail");
        service.fail(mail, 3, "greylisted");
        await().until(() -> mail.state() == BreakerState.HALF_OPEN);
        mail.run(() -> {});
        service.fail(mail, 1, "again");
        openDetail("mail");

        browser.see(".failures .message", "again");
        assertThat(browser.texts(".log .reason"))
                .containsExactly("probe succeeded", "cool-off over", "3 failures in a row (IllegalStateException: greylisted)");
        assertThat(browser.texts(".log .change")).containsExactly("yellow → green", "red → yellow", "green → red");
        assertThat(browser.script("return document.querySelectorAll('.timeline .stretch').length")).isEqualTo(4L);
        assertThat((String) browser.script("return document.querySelector('.timeline').getAttribute('aria-label')"))
                .startsWith("The last 5 min: green for ")
                .contains("then red for ", "then green for ");
        browser.see(".settings tr", "cool-off");
        browser.see(".settings .source-yml", "yml");
        browser.see(".instances", "shop-7c9f");
    }

    @Test
    void pastBeyondTheKeptTransitionsIsShownAsNotKnown() {
        Breaker ledger = service.breaker("ledger");
        for (int i = 0; i < 27; i++) {
            ledger.lock(BreakerLock.OPEN);
            ledger.unlock();
        }
        openDetail("ledger");

        browser.script("const range = document.querySelector('[data-focus=range]'); range.value = 7 * 24 * 3600 * 1000; range.dispatchEvent(new Event('change'))");

        browser.see("#detail .timeline .lane", "not known");
        assertThat((String) browser.script("return document.querySelector('.timeline').getAttribute('aria-label')"))
                .startsWith("The last 7 days: not known for 6 days, then ");
        assertThat((Double) browser.script("return Math.max(...[...document.querySelectorAll('.stretch')].map((e) => e.getBBox().width)) + .5"))
                .as("nothing coloured is longer than what happened")
                .isLessThan(5);
    }

    @Test
    void redLightWhoseFailuresHaveLeftTheWindowStillSaysWhy() {
        service.fail(service.breaker("brief"), 3, "out of order");
        openDetail("brief");

        browser.see("#detail .no-failures", "They have left the window. It turned red at");
        browser.see("#detail .no-failures", "on shop-7c9f: 3 failures in a row (IllegalStateException: out of order)");
        browser.see(".row.red .row-failures", "0 / 3");
    }

    @Test
    void keyOffersToClearOnlyItsOwnChanges() {
        service.breaker("quotes").configure(BreakerSettings.builder().threshold(4).build());
        Breaker acme = service.breaker("quotes", "acme");
        service.fail(acme, 1, "down");
        openPage();
        browser.click(".row .key", "acme");

        browser.see("#detail .source-runtime", "runtime, of quotes");
        browser.seeNo("[data-action=clear-overrides]");
        acme.configure(BreakerSettings.builder().minimumCalls(7).build());
        browser.see("[data-action=clear-overrides]");
    }

    @Test
    void nothingFromTheServerIsEverHtml() {
        service.fail(service.breaker(HOSTILE, HOSTILE), 3, HOSTILE);
        browser.complaints();
        openPage();
        browser.see(".row.red .name", HOSTILE);
        browser.click(".row.red .name", HOSTILE);
        browser.see("#detail .message", HOSTILE);
        browser.see("#detail .reason", HOSTILE);
        browser.click("[data-action=lock-open]", "Lock open");
        browser.see("#dialog-title", HOSTILE);
        browser.click("#dialog-confirm", "Lock open");
        browser.see("#detail .chip-lock", "locked open");

        assertThat(browser.title()).isEqualTo("(1 red) Stoplight");
        assertThat(browser.script("return document.querySelectorAll('img[src=x], main script, dialog script').length")).isEqualTo(0L);
        assertThat(browser.complaints()).as("no policy was violated, nothing went wrong").isEmpty();
    }

    @Test
    void charactersThatTurnTextAboutAreSeen() {
        Breaker refund = service.breaker(TURNED_NAME, TURNED_NAME);
        service.fail(refund, 3, TURNED_MESSAGE);
        openPage();

        browser.click(".row.red .name", "\uFFFDdnufer\uFFFD\uFFFD");
        browser.see("#detail .key", "\uFFFDdnufer\uFFFD\uFFFD");
        browser.see("#detail .message", "\uFFFDko\uFFFD.deliaf");
        browser.see("#detail .reason", "\uFFFDko\uFFFD.deliaf");
        browser.click("[data-action=lock-open]", "Lock open");
        browser.see("#dialog-title", "\uFFFDdnufer\uFFFD\uFFFD");
        browser.click("#dialog-confirm", "Lock open");
        browser.see("#detail .chip-lock", "locked open");
        assertThat(refund.lastSeen().lock()).as("what is sent is as it was").isEqualTo(BreakerLock.OPEN);
        assertThat((Boolean) browser.script("return /[\\u200f\\u202e\\u2066\\u2068]/.test(document.documentElement.outerHTML)")).isFalse();
    }

    @Test
    void hugeNamesAndMessagesStayInsideThePage() {
        service.breaker("n".repeat(2000)).configure(BreakerSettings.builder().minimumCalls(7).build());
        service.fail(service.breaker("n".repeat(2000), "k".repeat(2000)), 3, "m".repeat(100_000));
        openPage();
        browser.click(".row.red .name", "nnn");
        browser.see("#detail .message", "mmm");

        assertNoSidewaysScrolling();
        assertThat((Long) browser.script("return document.querySelector('.part-head').offsetHeight")).isLessThan(500);
        browser.phone();
        assertNoSidewaysScrolling();
        assertThat((Long) browser.script("return document.querySelector('.part-head').offsetHeight")).isLessThan(500);
    }

    @Test
    void pageSurvivesARestartOfItsServer() {
        MemoryBreakerStore store = new MemoryBreakerStore();
        String[] properties = {"stoplight.dashboard.enabled=true", "server.shutdown=immediate"};
        ServiceInstance first = ServiceInstance.start(WebApplicationType.SERVLET, store, properties);
        String port = "server.port=" + first.port();
        try (first) {
            first.breaker("payments");
            browser.open(first.url("/stoplight/"));
            browser.see(".row.green", "payments");
        }
        browser.see("#lost", "Lost the server. What you see is from");
        browser.see(".freshness", "Not connected");
        browser.screenshot("lost-server");

        try (ServiceInstance second = ServiceInstance.start(WebApplicationType.SERVLET, store, properties[0], properties[1], port)) {
            second.fail(second.breaker("payments"), 3, "down");
            browser.see(".row.red", "payments");
            browser.seeNo("#lost");
            browser.see(".freshness", "Live");
        }
    }

    @Test
    void lostStoreIsSaidAndChangesAreRefused() {
        try (RedisServerProcess redis = new RedisServerProcess()) {
            RedisClient client = RedisClient.create(redis.uri());
            RedisBreakerStore store = RedisBreakerStore.builder(client).timeout(Duration.ofSeconds(2)).heartbeat(Duration.ofMillis(100)).connect();
            try (ServiceInstance shared = ServiceInstance.start(WebApplicationType.SERVLET, store, "stoplight.dashboard.enabled=true")) {
                shared.fail(shared.breaker("payments"), 3, "down");
                browser.open(shared.url("/stoplight/#/payments"));
                browser.see(".store.is-up", "Store: redis, up");
                browser.see("#detail .chip-state", "Red");
                browser.click("[data-action=lock-closed]", "Lock closed");
                browser.see("dialog", "Lock closed");
                redis.kill();
                browser.see("#store-down", "The store (redis) has been down since");
                browser.see("#detail .timeline .lane", "not known");
                browser.see(".row.red", "payments");
                browser.click("#dialog-confirm", "Lock closed");
                browser.see("#dialog-error", "Breaker 'payments' was not changed");
                browser.screenshot("store-down-refused");
                browser.click("#dialog-cancel", "Cancel");
                browser.seeNo("dialog");
                assertThat(browser.script("return document.activeElement.dataset.action")).isEqualTo("lock-closed");
                assertThat(browser.script("return document.querySelectorAll('" + CHANGES + "').length"))
                        .as("locks, reset, forget and each setting")
                        .isEqualTo(4L + BreakerSetting.values().length);
                assertThat(browser.script("return document.querySelectorAll('" + REFUSED_CHANGES + "').length"))
                        .isEqualTo(4L + BreakerSetting.values().length);
                browser.click("[data-action=reset]", "Reset");
                browser.seeNo("dialog");
                browser.screenshot("store-down");

                redis.restart();
                browser.see(".store.is-up", "Store: redis, up");
                browser.seeNo("#store-down");
                browser.seeNo(REFUSED_CHANGES);
                browser.click("[data-action=reset]", "Reset");
                browser.see("dialog", "Reset");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void pageWorksBehindAProxyThatTakesAPrefixOff() throws IOException {
        service.fail(service.breaker("payments"), 3, "down");
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/tools/shop/", exchange -> forward(exchange, "/tools/shop"));
        proxy.start();
        try {
            browser.open("http://127.0.0.1:" + proxy.getAddress().getPort() + "/tools/shop/stoplight");
            browser.click(".row.red .name", "payments");
            browser.click("[data-action=lock-open]", "Lock open");
            browser.click("#dialog-confirm", "Lock open");
            browser.see("#detail .chip-lock", "locked open");
            assertThat(browser.url()).contains("/tools/shop/stoplight/#/payments");
        } finally {
            proxy.stop(0);
        }
    }

    private static void forward(HttpExchange exchange, String prefix) throws IOException {
        String path = exchange.getRequestURI().toString().substring(prefix.length());
        HttpResponse<String> answer = exchange.getRequestMethod().equals("GET")
                ? service.get(path)
                : service.post(path, new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        answer.headers().map().forEach((name, values) -> {
            if (!name.equalsIgnoreCase("transfer-encoding") && !name.equalsIgnoreCase("content-length")) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void noticeSaysWhatIsWrongNowNotWhatWasWrongFirst() throws IOException {
        AtomicReference<String> trouble = new AtomicReference<>("");
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/", exchange -> {
            switch (trouble.get()) {
                case "away" -> exchange.close();
                case "signed out" -> {
                    exchange.sendResponseHeaders(401, -1);
                    exchange.close();
                }
                default -> forward(exchange, "");
            }
        });
        proxy.start();
        try {
            browser.open("http://127.0.0.1:" + proxy.getAddress().getPort() + "/stoplight/");
            browser.see(".freshness", "Live");
            trouble.set("away");
            browser.see("#lost", "Lost the server.");
            trouble.set("signed out");
            browser.see("#lost", "You are signed out.");
            trouble.set("");
            browser.see(".freshness", "Live");
            browser.seeNo("#lost");
        } finally {
            proxy.stop(0);
        }
    }

    @Test
    void operatorSignsInAndViewerIsRefused() {
        try (ServiceInstance secured = ServiceInstance.startSecured(
                WebApplicationType.SERVLET, new MemoryBreakerStore(), SignIn.class, "stoplight.dashboard.enabled=true")) {
            Breaker payments = secured.breaker("payments");
            for (String user : List.of("viewer", "operator")) {
                browser.open(secured.url("/stoplight/"));
                browser.see("#username").sendKeys(user);
                browser.see("#password").sendKeys(user, Keys.ENTER);
                browser.click(".row .name", "payments");
                browser.click("[data-action=lock-open]", "Lock open");
                browser.click("#dialog-confirm", "Lock open");
                if (user.equals("viewer")) {
                    browser.see("#dialog-error", "You are not allowed to do this.");
                    assertThat(payments.lastSeen().lock()).isNull();
                    browser.forgetCookies();
                    browser.see("#lost", "You are signed out. Reload the page to sign in again.");
                } else {
                    browser.see("#detail .chip-lock", "locked open");
                    assertThat(payments.lastSeen().lock()).isEqualTo(BreakerLock.OPEN);
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SignIn {

        @Bean
        SecurityFilterChain signIn(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests
                            .requestMatchers(HttpMethod.POST, "/stoplight/**").hasRole("OPERATOR")
                            .anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("viewer").password("{noop}viewer").roles("VIEWER").build(),
                    User.withUsername("operator").password("{noop}operator").roles("OPERATOR").build());
        }
    }

    @Test
    void everythingCanBeDoneWithTheKeyboard() {
        Breaker payments = service.breaker("payments");
        service.breaker("catalog");
        openPage();

        browser.press("/");
        browser.press("pay");
        await().until(() -> browser.texts(".row .name").equals(List.of("payments")));
        browser.tabTo(".row");
        assertThat((String) browser.script("return getComputedStyle(document.activeElement).outlineStyle")).as("the focus is seen").isEqualTo("solid");
        browser.press(Keys.ENTER);
        browser.see("#detail-title", "payments");
        browser.tabTo("[data-action=lock-closed]");
        browser.press(Keys.ENTER);
        browser.see("dialog", "Lock closed");
        assertThat(browser.script("return document.activeElement.id")).as("the harmless choice").isEqualTo("dialog-cancel");
        browser.press(Keys.ESCAPE);
        browser.seeNo("dialog");
        assertThat(browser.script("return document.activeElement.dataset.action")).isEqualTo("lock-closed");
        browser.press(Keys.ENTER);
        browser.see("dialog");
        browser.tabTo("#dialog-confirm");
        browser.press(Keys.ENTER);
        browser.see("#detail .chip-lock", "locked closed");
        assertThat(payments.lastSeen().lock()).isEqualTo(BreakerLock.CLOSED);
        browser.tabTo("[data-focus=change-cool-off]");
        browser.press(Keys.ENTER);
        browser.see("#new-value");
        browser.press("5s", Keys.ENTER);
        browser.see(".settings .is-runtime", "5s");
        await().until(() -> "change-cool-off".equals(browser.script("return document.activeElement.dataset.focus")));
        browser.press(Keys.ESCAPE);
        browser.seeNo("#detail");
        assertThat((Boolean) browser.script("return document.activeElement.matches('.row')")).as("back where it began").isTrue();
    }

    @Test
    void focusStaysWhereItIsWhileThePageRefreshes() {
        service.breaker("catalog");
        service.breaker("payments");
        openPage();
        browser.script("document.querySelectorAll('.row')[0].focus()");

        service.fail(service.breaker("payments"), 3, "down");
        browser.see(".row.red", "payments");

        assertThat((String) browser.script("return document.activeElement.textContent")).contains("catalog");
    }

    @Test
    void focusIsNeverLostToWhatAChangeTakesAway() {
        Breaker payments = service.breaker("payments");
        service.breaker("catalog");
        payments.configure(BreakerSettings.builder().threshold(7).build());
        openDetail("payments");

        confirmWithTheKeyboard("[data-action=lock-open]");
        browser.see("#detail .chip-lock", "locked open");
        await().until(() -> Boolean.TRUE.equals(browser.script("return document.activeElement.matches('[data-action=unlock]')")));
        confirmWithTheKeyboard("[data-action=clear-overrides]");
        browser.seeNo(".settings .is-runtime");
        await().until(() -> Boolean.TRUE.equals(browser.script("return document.activeElement.matches('.part-settings button')")));
        confirmWithTheKeyboard("[data-focus=forget]");
        browser.seeNo("#detail");
        await().until(() -> browser.texts(".row .name").equals(List.of("catalog")));
        await().until(() -> Boolean.TRUE.equals(browser.script("return document.activeElement.matches('.row')")));
    }

    private static void confirmWithTheKeyboard(String button) {
        browser.see(button);
        browser.script("document.querySelector(arguments[0]).focus()", button);
        browser.press(Keys.ENTER);
        browser.see("#dialog-confirm");
        browser.tabTo("#dialog-confirm");
        browser.press(Keys.ENTER);
        browser.seeNo("dialog");
    }

    @Test
    void everyControlHasANameAndEveryColourAWord() {
        service.fail(service.breaker("payments"), 3, "down");
        openDetail("payments");

        Object nameless = browser.script("""
                return [...document.querySelectorAll('button, a, input, select, summary')].filter((e) => e.checkVisibility() &&
                  !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).map((e) => e.outerHTML)""");
        assertThat((List<?>) nameless).isEmpty();
        Object wordless = browser.script("""
                return [...document.querySelectorAll('.icon')].filter((e) =>
                  !/red|yellow|green/i.test(e.parentElement.textContent)).map((e) => e.outerHTML)""");
        assertThat((List<?>) wordless).isEmpty();
        assertThat(browser.script("return document.documentElement.lang")).isEqualTo("en");
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void textCanBeReadAgainstItsBackground(String scheme) {
        browser.scheme(scheme);
        service.fail(service.breaker("payments"), 3, "down");
        service.fail(service.breaker("mail"), 3, "down");
        service.breaker("catalog").lock(BreakerLock.CLOSED);
        openDetail("payments");
        browser.see(".row.yellow");

        Object tooFaint = browser.script("""
                const parse = (c) => c.startsWith('color(srgb')
                  ? c.match(/[\\d.]+/g).map(Number).map((v, i) => (i < 3 ? v * 255 : v)) : c.match(/[\\d.]+/g).map(Number);
                const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
                  .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                const over = (top, below) => { const a = top[3] === undefined ? 1 : top[3]; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
                const background = (e) => e ? over(parse(getComputedStyle(e).backgroundColor), background(e.parentElement)) : [255, 255, 255];
                const visible = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.closest('svg, .hidden')
                  && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
                return visible.map((e) => {
                  const [light, dark] = [luminance(parse(getComputedStyle(e).color)), luminance(background(e))].sort((a, b) => b - a);
                  return { ratio: (light + 0.05) / (dark + 0.05), what: e.className + ': ' + e.textContent.slice(0, 30) };
                }).filter((e) => e.ratio < 4.5).map((e) => e.ratio.toFixed(2) + ' ' + e.what)""");
        assertThat((List<?>) tooFaint).isEmpty();
    }

    @Test
    void listIsFilteredSearchedAndPaged() {
        service.fail(service.breaker("payments"), 3, "down");
        IntStream.range(0, 60).forEach(i -> service.breaker("catalog-%02d".formatted(i)));
        openPage();

        browser.see("#page-text", "1–50 of 61");
        browser.click("#next", "Next");
        browser.see("#page-text", "51–61 of 61");
        browser.click(".filter.red", "Red");
        await().until(() -> browser.texts(".row .name").equals(List.of("payments")));
        assertThat(browser.script("return document.querySelector('.filter.red').getAttribute('aria-pressed')")).isEqualTo("true");
        browser.click(".filter.red", "Red");
        browser.see("#search").sendKeys("G-4");
        await().until(() -> browser.texts(".row .name").size() == 10);
        browser.see("#search").sendKeys("nobody");
        browser.see("#empty", "No light matches.");
    }

    @Test
    void openLightIsInSightInTheListBesideIt() {
        IntStream.range(0, 60).forEach(i -> service.breaker("catalog-%02d".formatted(i)));
        openDetail("catalog-45");
        seeTheOpenRow("catalog-45");
        assertThat(browser.script("return scrollY")).as("the detail is read from its top").isEqualTo(0L);
        browser.screenshot("open-row");

        browser.open(service.url("/stoplight/#/catalog-47"));
        browser.see("#detail-title", "catalog-47");
        seeTheOpenRow("catalog-47");

        browser.click("#next", "Next");
        browser.see("#page-text", "51–60 of 60");
        assertThat(browser.script("return document.querySelector('.list').scrollTop")).as("a page is read from its top").isEqualTo(0L);
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("previous");
    }

    private static void seeTheOpenRow(String name) {
        browser.see(".row[aria-current]", name);
        await().until(() -> Boolean.TRUE.equals(browser.script("""
                const row = document.querySelector('.row[aria-current]').getBoundingClientRect();
                const list = document.querySelector('.list').getBoundingClientRect();
                return row.top >= list.top && row.bottom <= Math.min(list.bottom, innerHeight)""")));
    }

    @Test
    void pageBeyondTheEndGivesWayToTheLastOne() {
        IntStream.range(0, 60).forEach(i -> service.breaker("catalog-%02d".formatted(i)));
        openPage();
        browser.click("#next", "Next");
        browser.see("#page-text", "51–60 of 60");

        IntStream.range(3, 60).forEach(i -> service.breaker("catalog-%02d".formatted(i)).forget());

        await().until(() -> browser.texts(".row .name").equals(List.of("catalog-00", "catalog-01", "catalog-02")));
        browser.seeNo("#pager");
        browser.seeNo("#empty");
    }

    @Test
    void pageOfAnApplicationWithStoplightSwitchedOffSaysSo() {
        try (ServiceInstance off = ServiceInstance.start(
                WebApplicationType.SERVLET, new MemoryBreakerStore(), "stoplight.enabled=false", "stoplight.dashboard.enabled=true")) {
            browser.open(off.url("/stoplight/"));
            browser.see("#empty", "Stoplight is switched off by stoplight.enabled");
        }
    }

    @Test
    void addressOfADetailCanBeSharedAndAnUnknownOneSaysSo() {
        service.fail(service.breaker("quotes", "a/b c:d%ü"), 1, "down");
        openPage();
        browser.click(".row .key", "a/b c:d%ü");
        browser.see("#detail .key", "a/b c:d%ü");
        String address = browser.url();

        browser.open(address);
        browser.see("#detail .key", "a/b c:d%ü");
        browser.open(service.url("/stoplight/#/nobody"));
        browser.see("#detail", "No such breaker");
        browser.script("document.querySelector('.close').focus()");
        service.breaker("catalog");
        browser.see(".row", "catalog");
        assertThat((Boolean) browser.script("return document.activeElement.matches('.close')")).as("the focus stays").isTrue();
        browser.click(".close", "All lights");
        browser.see(".row", "a/b c:d%ü");
    }

    @Test
    void addressThatIsNoEncodedTextIsTakenAsItStands() {
        service.breaker("100%");

        browser.open(service.url("/stoplight/#/100%"));

        browser.see("#detail-title", "100%");
    }

    @Test
    void phoneShowsEverythingWithoutSidewaysScrolling() {
        service.fail(service.breaker("payments"), 3, "Connection refused: payments.internal/10.2.0.14:8443");
        service.breaker("InventoryClient.reserveEverythingThatIsThere").lock(BreakerLock.CLOSED);
        service.fail(service.breaker("quotes", "acme/eu-west/customer-0815"), 1, "timeout");
        IntStream.range(0, 200).forEach(i -> service.breaker("zones", "customer-" + i).lock(i < 100 ? BreakerLock.OPEN : BreakerLock.CLOSED));
        browser.phone();
        openPage();
        browser.see(".row.red", "payments");
        assertNoSidewaysScrolling();
        assertThat((Boolean) browser.script("return [...document.querySelectorAll('.filter')].every((e) => e.scrollWidth <= e.clientWidth"
                        + " && e.getBoundingClientRect().right <= innerWidth - 16)"))
                .as("the filters have room for their counts")
                .isTrue();
        browser.see("#search").sendKeys("pay");
        await().until(() -> browser.texts(".row .name").equals(List.of("payments")));
        browser.click(".row .name", "payments");
        browser.see("#detail-title", "payments");
        browser.seeNo("#lights");
        assertNoSidewaysScrolling();
        browser.click("[data-action=lock-open]", "Lock open");
        browser.see("dialog", "Lock open");
        assertNoSidewaysScrolling();
        browser.click("#dialog-cancel", "Cancel");
        browser.click(".close", "All lights");
        browser.see("#lights");
    }

    private static void assertNoSidewaysScrolling() {
        assertThat((Boolean) browser.script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .as("the page is no wider than its window: " + browser.script("return document.documentElement.scrollWidth"))
                .isTrue();
    }
}
