package dev.stoplight.sample;

import jakarta.servlet.ServletContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Says at start-up what to open and what to try. */
@Component
class Welcome {

    private static final Logger LOG = LoggerFactory.getLogger(Welcome.class);

    private final AnotherInstance another;
    private final ServletContext servlets;

    Welcome(AnotherInstance another, ServletContext servlets) {
        this.another = another;
        this.servlets = servlets;
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        Environment environment = event.getApplicationContext().getEnvironment();
        String address = "http://localhost:" + environment.getRequiredProperty("local.server.port") + servlets.getContextPath();
        LOG.info(
                """


                  The shop is open.   Redis: {}

                    {}/                     the shop: turn its payment provider's knobs and watch
                    {}/stoplight            the dashboard: every light, its failures and its history
                    {}/actuator/stoplight   the same for machines

                  1. Press "Start traffic", then "Break it": the light turns red, and calls are rejected in microseconds.
                  2. Press "Heal it": after the cool-off a single probe finds out, and the light is green again.
                  3. Start a second instance and open its page too. It shows the same lights:

                    {}
                """,
                environment.getRequiredProperty(EmbeddedRedis.DESCRIPTION),
                address,
                address,
                address,
                another.command());
    }
}
