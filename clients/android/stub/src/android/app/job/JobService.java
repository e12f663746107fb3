package android.app.job;

import android.app.Service;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class JobService extends Service {
    public abstract boolean onStartJob(JobParameters parameters);
    public abstract boolean onStopJob(JobParameters parameters);

    public final void jobFinished(JobParameters parameters, boolean wantsReschedule) {
        throw new UnsupportedOperationException("a declaration");
    }
}
