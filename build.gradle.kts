subprojects {
    group = "dev.stoplight"
    version = "0.1.0-SNAPSHOT"

    plugins.withType<JavaPlugin> {
        // Maven's <optional>: on this module's own class paths, never on those of its users.
        val optional = configurations.dependencyScope("optional").get()
        configurations.named("compileOnly") { extendsFrom(optional) }
        configurations.named("testImplementation") { extendsFrom(optional) }

        tasks.withType<JavaCompile>().configureEach {
            // this-escape exists from Java 21 on; the rest is explained in pom.xml.
            val newer = if (JavaVersion.current().isCompatibleWith(JavaVersion.VERSION_21)) ",-this-escape" else ""
            options.release = 17
            options.encoding = "UTF-8"
            options.compilerArgs.addAll(
                listOf("-parameters", "-Werror", "-Xlint:all,-processing,-serial,-classfile$newer"),
            )
        }
        tasks.withType<Test>().configureEach {
            useJUnitPlatform()
        }
    }

    plugins.withId("maven-publish") {
        extensions.configure<PublishingExtension> {
            publications.create<MavenPublication>("library") { from(components["java"]) }
        }
    }
}
