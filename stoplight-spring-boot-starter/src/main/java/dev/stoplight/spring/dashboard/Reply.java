package dev.stoplight.spring.dashboard;

import java.util.Map;

/** What the dashboard answers, on either web stack. */
record Reply(int status, Map<String, String> headers, byte[] body) {}
