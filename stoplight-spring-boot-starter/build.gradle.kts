plugins {
    `java-library`
    `maven-publish`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    api(project(":stoplight-core"))
    api(libs.spring.boot.starter)
    api(libs.spring.boot.starter.data.redis)
    implementation(libs.jackson.databind)
    "optional"(libs.micrometer.core)
    "optional"(libs.reactor.core)
    "optional"(libs.servlet.api)
    "optional"(libs.spring.boot.actuator)
    "optional"(libs.spring.boot.actuator.autoconfigure)
    "optional"(libs.spring.boot.health)
    "optional"(libs.spring.boot.micrometer.metrics)
    "optional"(libs.spring.boot.webflux)
    "optional"(libs.spring.boot.webmvc)
    "optional"(libs.spring.security.web)
    annotationProcessor(libs.spring.boot.configuration.processor)

    testImplementation(project(":stoplight-core", "testJar"))
    testImplementation(libs.awaitility)
    testImplementation(libs.embedded.redis)
    testImplementation(libs.micrometer.registry.prometheus)
    testImplementation(libs.reactor.test)
    testImplementation(libs.selenium.chrome.driver)
    testImplementation(libs.selenium.support)
    testImplementation(libs.spring.boot.starter.actuator)
    testImplementation(libs.spring.boot.starter.security)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.boot.starter.validation)
    testImplementation(libs.spring.boot.starter.webflux)
    testImplementation(libs.spring.boot.starter.webmvc)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.compileJava {
    // The processor merges the metadata that is written by hand.
    inputs.files(tasks.processResources)
}
