package dev.stoplight.spring.dashboard;

import org.springframework.boot.WebApplicationType;

class MvcDashboardTests extends DashboardContract {

    MvcDashboardTests() {
        super(WebApplicationType.SERVLET, "server.servlet.context-path");
    }
}
