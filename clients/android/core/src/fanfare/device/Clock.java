package fanfare.device;

/** Tells the time and waits. Implementations are safe for several threads. */
interface Clock {
    Now now();

    /** Waits on a monitor that the thread holds, until it is notified or so many milliseconds have passed. */
    void await(Object monitor, long millis) throws InterruptedException;

    /** The system's. */
    Clock SYSTEM = new Clock() {
        @Override
        public Now now() {
            return new Now(System.currentTimeMillis(), System.nanoTime() / 1_000_000);
        }

        @Override
        public void await(Object monitor, long millis) throws InterruptedException {
            monitor.wait(millis);
        }
    };
}
