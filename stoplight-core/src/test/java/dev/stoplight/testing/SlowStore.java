package dev.stoplight.testing;

import dev.stoplight.store.BreakerStore;
import dev.stoplight.store.StoreObserver;
import dev.stoplight.store.StoreReply;
import dev.stoplight.store.StoreRequest;
import dev.stoplight.store.StoreStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store behind a network: it carries out commands at once, but answers and messages travel for as long as the test wants, and
 * may overtake each other. For one thread.
 */
public final class SlowStore extends ForwardingStore {

    private final List<Runnable> answers = new ArrayList<>();
    private final List<Runnable> messages = new ArrayList<>();
    private boolean holdAnswers;
    private boolean holdMessages;

    public SlowStore(BreakerStore target) {
        super(target);
    }

    /** From now on answers wait for {@link #deliverAnswer}. */
    public void holdAnswers() {
        holdAnswers = true;
    }

    /** From now on messages wait for {@link #deliverMessages}. */
    public void holdMessages() {
        holdMessages = true;
    }

    public int heldAnswers() {
        return answers.size();
    }

    /** Delivers one of the answers that are held back, counted from the oldest. */
    public void deliverAnswer(int index) {
        answers.remove(index).run();
    }

    /** Delivers whatever is held back, and holds back nothing more. */
    public void deliverEverything() {
        holdAnswers = false;
        holdMessages = false;
        while (!answers.isEmpty()) {
            deliverAnswer(0);
        }
        deliverMessages();
    }

    public void deliverMessages() {
        while (!messages.isEmpty()) {
            messages.remove(0).run();
        }
    }

    @Override
    public CompletionStage<StoreReply> execute(StoreRequest request) {
        CompletableFuture<StoreReply> answer = new CompletableFuture<>();
        StoreReply reply = target.execute(request).toCompletableFuture().join();
        if (holdAnswers) {
            answers.add(() -> answer.complete(reply));
        } else {
            answer.complete(reply);
        }
        return answer;
    }

    @Override
    public boolean immediate() {
        return false;
    }

    @Override
    public Runnable subscribe(StoreObserver observer) {
        return target.subscribe(new StoreObserver() {
            @Override
            public String instance() {
                return observer.instance();
            }

            @Override
            public void changed(String id, StoreReply change) {
                if (holdMessages) {
                    messages.add(() -> observer.changed(id, change));
                } else {
                    observer.changed(id, change);
                }
            }

            @Override
            public void resynchronised(String id, StoreReply current) {
                observer.resynchronised(id, current);
            }

            @Override
            public Active active(String id) {
                return observer.active(id);
            }

            @Override
            public List<Active> noteworthy() {
                return List.copyOf(observer.noteworthy());
            }

            @Override
            public void statusChanged(StoreStatus status) {
                observer.statusChanged(status);
            }

            @Override
            public void commandDone(String command, boolean answered, long nanos) {
                observer.commandDone(command, answered, nanos);
            }
        });
    }
}
