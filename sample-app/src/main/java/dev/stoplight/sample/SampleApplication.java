package dev.stoplight.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the shop, its payment provider and, unless another Redis is configured, a Redis. */
@SpringBootApplication
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(SampleApplication.class);
        application.addInitializers(new EmbeddedRedis());
        application.run(args);
    }
}
