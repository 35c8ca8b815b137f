package dev.stoplight.spring.dashboard;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium without a window. Where there is none, the tests that need it are skipped and say so. */
final class Browser implements AutoCloseable {

    /** Maven's and Gradle's build folders alike: the one from which the tests run. */
    private static final Path SCREENSHOTS = Path.of(Files.isDirectory(Path.of("target")) ? "target" : "build", "screenshots");

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Held, since a logger that nobody holds forgets its level: it warns of features that are not used here. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    static Browser start() {
        Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome", "chrome");
        Optional<Path> chromedriver = onPath("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "the dashboard is not tested in a browser: chromium and chromedriver must be on the PATH");
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get().toFile());
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--hide-scrollbars",
                "--lang=en-GB");
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logging);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get().toFile())
                .usingAnyFreePort()
                .build();
        Browser browser = new Browser(new ChromeDriver(service, options));
        browser.desktop();
        browser.scheme("light");
        return browser;
    }

    private static Optional<Path> onPath(String... names) {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.of(names)
                .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    void desktop() {
        size(1360, 860, false);
    }

    void phone() {
        size(390, 844, true);
    }

    private void size(int width, int height, boolean mobile) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height, "deviceScaleFactor", mobile ? 2 : 1, "mobile", mobile));
    }

    /** {@code light} or {@code dark}. */
    void scheme(String scheme) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Opens a page from the beginning, even when only what follows the # differs. */
    void open(String url) {
        driver.get("about:blank");
        driver.get(url);
    }

    /** As if the session were over. */
    void forgetCookies() {
        driver.manage().deleteAllCookies();
    }

    String url() {
        return Objects.requireNonNull(driver.getCurrentUrl());
    }

    String title() {
        return Objects.requireNonNull(driver.getTitle());
    }

    /** Waits until something is there to be seen. */
    WebElement see(String css) {
        return see(css, "");
    }

    /** Waits until something with that text is there to be seen. */
    WebElement see(String css, String text) {
        return await("'" + text + "' in " + css)
                .atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> visible(css, text), Optional::isPresent)
                .orElseThrow();
    }

    /** Waits until nothing of that kind is to be seen any more. */
    void seeNo(String css) {
        await("no " + css)
                .atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> visible(css, "").isEmpty());
    }

    private Optional<WebElement> visible(String css, String text) {
        return driver.findElements(By.cssSelector(css)).stream()
                .filter(element -> element.isDisplayed() && element.getText().contains(text))
                .findFirst();
    }

    /** Clicks it, again when the page was drawn anew at that moment. */
    void click(String css, String text) {
        await("click '" + text + "' in " + css)
                .atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> {
                    Optional<WebElement> element = visible(css, text);
                    element.ifPresent(WebElement::click);
                    return element.isPresent();
                });
    }

    List<String> texts(String css) {
        return await().atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> driver.findElements(By.cssSelector(css)).stream().map(WebElement::getText).toList(), texts -> true);
    }

    /** Presses keys wherever the focus is. */
    void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Presses Tab until the focus is there, as someone without a mouse would. */
    void tabTo(String css) {
        for (int i = 0; i < 200; i++) {
            if (Boolean.TRUE.equals(script("return document.activeElement.matches(arguments[0])", css))) {
                return;
            }
            press(Keys.TAB);
        }
        throw new AssertionError("Tab does not lead to " + css);
    }

    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** What the browser complained about since the last time. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
    }

    /** Keeps a picture of the page for people to look at. */
    void screenshot(String name) {
        Object png = driver.executeCdpCommand("Page.captureScreenshot", Map.of("captureBeyondViewport", false)).get("data");
        try {
            Files.createDirectories(SCREENSHOTS);
            Files.write(SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode((String) png));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
