package fanfare.device;

/** The system's wall clock, and waits that are a hundred times shorter. */
final class FastClock implements Clock {
    private static final long SPEED = 100;

    @Override
    public Now now() {
        return new Now(System.currentTimeMillis(), System.nanoTime() / 1_000_000 * SPEED);
    }

    @Override
    public void await(Object monitor, long millis) throws InterruptedException {
        monitor.wait(Math.max(1, millis / SPEED));
    }
}
