plugins {
    application
}

dependencies {
    implementation(platform(libs.spring.boot.dependencies))
    implementation(project(":stoplight-core"))
    implementation(project(":stoplight-core", "testJar"))
    implementation(project(":stoplight-spring-boot-starter"))
    implementation(libs.embedded.redis)
    implementation(libs.failsafe)
    implementation(libs.jackson.databind)
    implementation(libs.jmh.core)
    implementation(libs.lettuce.core)
    implementation(libs.micrometer.core)
    implementation(libs.resilience4j.circuitbreaker)
    implementation(libs.resilience4j.spring.boot4)
    implementation(libs.spring.boot.starter.aspectj)
    annotationProcessor(libs.jmh.generator.annprocess)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
}

application {
    mainClass = "dev.stoplight.benchmarks.Main"
}

tasks.named<JavaExec>("run") {
    systemProperty("stoplight.benchmarks.output", layout.buildDirectory.dir("benchmarks").get().asFile.path)
}
