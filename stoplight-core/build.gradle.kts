plugins {
    `java-library`
    `maven-publish`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    api(libs.jspecify)
    implementation(libs.caffeine)
    "optional"(libs.jackson.databind)
    "optional"(libs.lettuce.core)

    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.embedded.redis)
    testImplementation(libs.jqwik)
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.platform.launcher)
}

// Maven's test-jar: what the other modules' tests share.
val testJar = tasks.register<Jar>("testJar") {
    archiveClassifier = "tests"
    from(sourceSets.test.get().output)
}
configurations.consumable("testJar")
artifacts.add("testJar", testJar)
