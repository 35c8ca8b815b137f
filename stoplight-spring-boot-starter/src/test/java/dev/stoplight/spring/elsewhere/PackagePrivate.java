package dev.stoplight.spring.elsewhere;

import dev.stoplight.spring.CircuitBreaker;

/** A class to inherit from, whose method no class of another package can override. */
public class PackagePrivate {

    @CircuitBreaker
    void call() {}
}
