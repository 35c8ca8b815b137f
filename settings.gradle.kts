rootProject.name = "stoplight-parent"

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

include("stoplight-core")
include("stoplight-spring-boot-starter")
include("stoplight-benchmarks")
include("sample-app")
