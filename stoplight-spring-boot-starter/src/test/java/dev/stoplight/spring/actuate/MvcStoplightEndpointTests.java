package dev.stoplight.spring.actuate;

import org.springframework.boot.WebApplicationType;

class MvcStoplightEndpointTests extends StoplightEndpointContract {

    MvcStoplightEndpointTests() {
        super(WebApplicationType.SERVLET);
    }
}
