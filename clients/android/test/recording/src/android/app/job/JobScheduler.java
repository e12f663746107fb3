package android.app.job;

import java.util.LinkedHashMap;
import java.util.Map;

/** The framework class as far as tests need it: it works, and remembers. */
public abstract class JobScheduler {
    /** What has been scheduled. */
    public static final Map<Integer, JobInfo> JOBS = new LinkedHashMap<>();
    public static final JobScheduler INSTANCE = new JobScheduler() {
        @Override
        public synchronized int schedule(JobInfo job) {
            JOBS.put(job.id, job);
            return 1;
        }

        @Override
        public synchronized JobInfo getPendingJob(int jobId) {
            return JOBS.get(jobId);
        }
    };

    public abstract int schedule(JobInfo job);

    public abstract JobInfo getPendingJob(int jobId);
}
