package dev.stoplight.redis.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The network between an instance and Redis: slower when a test says so, or swallowing everything. */
final class Proxy implements AutoCloseable {

    private record Chunk(byte[] bytes, long dueNanos) {}

    private static final Chunk END = new Chunk(new byte[0], 0);

    private final ServerSocket server;
    private final int target;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private volatile Duration delay = Duration.ZERO;
    private volatile boolean swallows;

    Proxy(int target) {
        this.target = target;
        try {
            this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + server.getLocalPort();
    }

    /** How often anyone has connected. */
    int connections() {
        return connections.size();
    }

    /** From now on everything takes so long, each way. */
    void delay(Duration each) {
        delay = each;
    }

    /** From now on what Redis says takes so long on that connection alone; the first one has the number 0. */
    void delayReplies(int connection, Duration each) {
        connections.get(connection).replies = each;
    }

    /**
     * From now on nothing gets through, and nobody is told. Connections that lived to see it never recover, as happens where a
     * firewall has forgotten them; those made afterwards work.
     */
    void swallow() {
        swallows = true;
        connections.forEach(connection -> connection.dead = true);
    }

    void swallowNoMore() {
        swallows = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Connection connection = new Connection(client, new Socket(InetAddress.getLoopbackAddress(), target));
                connection.dead = swallows;
                connections.add(connection);
                connection.start();
            }
        } catch (IOException e) {
            close();
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.forEach(Connection::close);
    }

    private final class Connection {

        private final Socket client;
        private final Socket redis;
        private volatile Duration replies = Duration.ZERO;
        private volatile boolean dead;

        Connection(Socket client, Socket redis) {
            this.client = client;
            this.redis = redis;
        }

        void start() throws IOException {
            pump(client.getInputStream(), redis.getOutputStream(), () -> delay);
            pump(redis.getInputStream(), client.getOutputStream(), () -> delay.plus(replies));
        }

        private void pump(InputStream from, OutputStream to, Supplier<Duration> takes) {
            BlockingQueue<Chunk> queue = new LinkedBlockingQueue<>();
            Proxy.start("read", () -> {
                byte[] buffer = new byte[64 * 1024];
                try {
                    for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                        queue.add(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + takes.get().toNanos()));
                    }
                } catch (IOException e) {
                    // Either end may break it off; the other is told below.
                } finally {
                    queue.add(END);
                }
            });
            Proxy.start("write", () -> {
                try {
                    for (Chunk chunk = queue.take(); chunk != END; chunk = queue.take()) {
                        for (long left = chunk.dueNanos - System.nanoTime(); left > 0; left = chunk.dueNanos - System.nanoTime()) {
                            LockSupport.parkNanos(left);
                        }
                        if (!dead) {
                            to.write(chunk.bytes);
                            to.flush();
                        }
                    }
                } catch (IOException e) {
                    // As above.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    if (!dead) {
                        close();
                    }
                }
            });
        }

        void close() {
            for (Socket socket : List.of(client, redis)) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
