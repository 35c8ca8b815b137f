package dev.stoplight.redis.fault;

import dev.stoplight.redis.RedisBreakerStore;
import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the store tells people from now on; kept out of the tests' own output. */
final class StoreLog extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger(RedisBreakerStore.class.getName());
    private final boolean usedParents = logger.getUseParentHandlers();
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    StoreLog() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    @Override
    public void publish(LogRecord record) {
        records.add(record);
    }

    /** What was said so far is of no interest. */
    void clear() {
        records.clear();
    }

    List<String> warnings() {
        return messages(Level.WARNING);
    }

    List<String> infos() {
        return messages(Level.INFO);
    }

    private List<String> messages(Level level) {
        return records.stream()
                .filter(record -> record.getLevel().equals(level))
                .map(record -> record.getParameters() == null
                        ? record.getMessage()
                        : MessageFormat.format(record.getMessage(), record.getParameters()))
                .toList();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(usedParents);
    }
}
