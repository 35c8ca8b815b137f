package dev.stoplight.spring.actuate;

import org.springframework.boot.WebApplicationType;

class WebFluxStoplightEndpointTests extends StoplightEndpointContract {

    WebFluxStoplightEndpointTests() {
        super(WebApplicationType.REACTIVE);
    }
}
