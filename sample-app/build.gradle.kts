plugins {
    application
}

dependencies {
    implementation(platform(libs.spring.boot.dependencies))
    implementation(project(":stoplight-spring-boot-starter"))
    implementation(libs.embedded.redis)
    implementation(libs.micrometer.registry.prometheus)
    implementation(libs.spring.boot.starter.actuator)
    implementation(libs.spring.boot.starter.webmvc)

    testImplementation(project(":stoplight-core", "testJar"))
    testImplementation(libs.awaitility)
    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}

application {
    mainClass = "dev.stoplight.sample.SampleApplication"
}
