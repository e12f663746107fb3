package android.app.job;

/** The part of the framework class that the library uses: declarations, to compile against. */
public abstract class JobScheduler {
    public abstract int schedule(JobInfo job);
    public abstract JobInfo getPendingJob(int jobId);
}
