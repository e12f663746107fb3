package android.app.job;

import android.app.Service;
import java.util.concurrent.CompletableFuture;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class JobService extends Service {
    /** Whether it wants to be run again, once it has finished. */
    public final CompletableFuture<Boolean> finished = new CompletableFuture<>();

    public abstract boolean onStartJob(JobParameters parameters);

    public abstract boolean onStopJob(JobParameters parameters);

    public final void jobFinished(JobParameters parameters, boolean wantsReschedule) {
        finished.complete(wantsReschedule);
    }
}
