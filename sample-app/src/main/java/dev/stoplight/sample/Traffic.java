package dev.stoplight.sample;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Makes about 25 calls a second, on at most 32 threads, and stops by itself after three minutes. */
@Component
class Traffic implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(Traffic.class);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int THREADS = 32;

    private final Shop shop;
    private final ExecutorService customers = new ThreadPoolExecutor(
            0, THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), new ThreadPoolExecutor.DiscardPolicy());
    private volatile long endNanos = System.nanoTime();
    private int tick;

    Traffic(Shop shop) {
        this.shop = shop;
    }

    void start() {
        endNanos = System.nanoTime() + LIMIT.toNanos();
    }

    void stop() {
        endNanos = System.nanoTime();
    }

    /** How long it will go on; zero when it does not run. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }

    @Scheduled(fixedRate = 100)
    void tick() {
        if (remaining().isZero()) {
            return;
        }
        tick++;
        String merchant = Shop.MERCHANTS.get(tick % Shop.MERCHANTS.size());
        String order = "order " + tick;
        run(() -> shop.order(order));
        run(() -> shop.payOut(merchant));
        if (tick % 2 == 0) {
            run(() -> shop.assessRisk(order));
        }
    }

    private void run(Runnable call) {
        customers.execute(() -> {
            try {
                call.run();
            } catch (RuntimeException e) {
                LOG.debug("A customer was disappointed", e);
            }
        });
    }

    @Override
    public void destroy() {
        stop();
        customers.shutdownNow();
    }
}
