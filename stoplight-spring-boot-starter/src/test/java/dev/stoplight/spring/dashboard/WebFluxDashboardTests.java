package dev.stoplight.spring.dashboard;

import org.springframework.boot.WebApplicationType;

class WebFluxDashboardTests extends DashboardContract {

    WebFluxDashboardTests() {
        super(WebApplicationType.REACTIVE, "spring.webflux.base-path");
    }
}
