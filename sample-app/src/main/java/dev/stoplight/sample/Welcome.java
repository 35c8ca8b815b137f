package dev.stoplight.sample;

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

    @EventListener
    void ready(ApplicationReadyEvent event) {
        Environment environment = event.getApplicationContext().getEnvironment();
        int port = environment.getRequiredProperty("local.server.port", int.class);
        LOG.info(
                """


                  The shop is open.   Redis: {}

                    http://localhost:{}/                     the shop: turn its payment provider's knobs and watch
                    http://localhost:{}/stoplight            the dashboard: every light, its failures and its history
                    http://localhost:{}/actuator/stoplight   the same for machines

                  1. Press "Start traffic", then "Break it": the light turns red, and calls are rejected in microseconds.
                  2. Press "Heal it": after the cool-off a single probe finds out, and the light is green again.
                  3. Start a second instance and open its page too. It shows the same lights:

                    mvn -q -pl sample-app -am spring-boot:run -Dspring-boot.run.arguments=--server.port={}
                """,
                environment.getRequiredProperty(EmbeddedRedis.DESCRIPTION),
                port,
                port,
                port,
                port + 1);
    }
}
