package dev.stoplight.sample;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest calls on this instance, for the page. */
final class CallLog {

    private static final int MOST = 1000;

    private final Deque<Call> calls = new ArrayDeque<>();
    private long number;

    /**
     * One call.
     *
     * @param number counts up from 1
     * @param at when it ended, in milliseconds since 1970 on this instance's clock
     * @param outcome done, slow (done, but so late that it counts as a failure), failed or rejected
     */
    record Call(long number, long at, String breaker, String outcome, boolean probe, long micros) {}

    synchronized void add(String breaker, String outcome, boolean probe, long micros) {
        calls.addLast(new Call(++number, System.currentTimeMillis(), breaker, outcome, probe, micros));
        if (calls.size() > MOST) {
            calls.removeFirst();
        }
    }

    synchronized List<Call> after(long seen) {
        return calls.stream().filter(call -> call.number() > seen).toList();
    }
}
