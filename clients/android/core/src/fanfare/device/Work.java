package fanfare.device;

import java.util.Random;

/**
 * The one thread that sends what waits, and does what becomes due. All that it shares with the app's threads is the machine,
 * under its lock; it holds no lock while it waits for the network, for a signature or for the listener.
 */
final class Work implements Runnable {
    /** It looks again at least so often: a wall clock may have been set. */
    private static final long LONGEST_SLEEP = 60_000;

    private final Keeper keeper;
    private final Clock clock;
    private final Random random;

    Work(Keeper keeper, Clock clock, Random random) {
        this.keeper = keeper;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void run() {
        try {
            while (step()) tell();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** False when it is over. */
    private boolean step() throws InterruptedException {
        Upload upload;
        Request request;
        boolean needsSignature;
        synchronized (keeper) {
            if (keeper.isClosed) return false;
            Now now = clock.now();
            if (keeper.machine.activities.tick(now)) keeper.machine.version++;
            upload = keeper.machine.next(now);
            keeper.commit();
            if (upload == null) {
                if (!keeper.hasNotices()) clock.await(keeper, sleep(now));
                return true;
            }
            needsSignature = keeper.settings.signer != null
                && !keeper.machine.signatures.containsKey(upload.insiderId);
        }
        if (needsSignature && !sign(upload)) return true;
        synchronized (keeper) {
            request = keeper.machine.request(upload);
        }
        if (request == null) return true;
        Reply reply = send(request);
        synchronized (keeper) {
            // Another process's or instance's turn: it sends it again.
            if (keeper.isClosed) return false;
            keeper.answers.answered(upload, reply, clock.now(), random.nextDouble());
            keeper.commit();
            keeper.notifyAll();
        }
        return true;
    }

    private long sleep(Now now) {
        long untilUpload = keeper.machine.nextAt() == Long.MAX_VALUE
            ? LONGEST_SLEEP : keeper.machine.nextAt() - now.monotonic;
        long untilTick = keeper.machine.activities.nextTick() - now.wall;
        return Math.max(1, Math.min(LONGEST_SLEEP, Math.min(untilUpload, untilTick)));
    }

    /** Null when there is no answer. */
    private Reply send(Request request) {
        try {
            return keeper.settings.transport.send(request);
        } catch (Exception none) {
            return null;
        }
    }

    /** False when nobody could be asked. */
    private boolean sign(Upload upload) {
        String signature;
        try {
            signature = keeper.settings.signer.sign(upload.insiderId, keeper.settings.udid);
        } catch (Exception none) {
            synchronized (keeper) {
                if (keeper.isClosed) return false;
                keeper.answers.unsigned(upload, clock.now(), random.nextDouble());
                keeper.commit();
                keeper.notifyAll();
            }
            return false;
        }
        synchronized (keeper) {
            if (signature != null) keeper.machine.signatures.put(upload.insiderId, signature);
        }
        return true;
    }

    private void tell() {
        for (Notice notice : keeper.takeNotices()) {
            try {
                notice.tell(keeper.settings.listener);
            } catch (Exception theirs) {
                // As documented.
            }
        }
    }
}
