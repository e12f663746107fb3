package android.app.job;

import android.content.ComponentName;

/** The framework class as far as tests need it: it works, and remembers. */
public class JobInfo {
    public static final int NETWORK_TYPE_ANY = 1;
    public static final int BACKOFF_POLICY_EXPONENTIAL = 1;
    public final int id;
    public final ComponentName service;
    public int networkType;

    private JobInfo(int id, ComponentName service) {
        this.id = id;
        this.service = service;
    }

    /** Makes jobs. */
    public static final class Builder {
        private final JobInfo job;

        public Builder(int jobId, ComponentName service) {
            job = new JobInfo(jobId, service);
        }

        public Builder setRequiredNetworkType(int networkType) {
            job.networkType = networkType;
            return this;
        }

        public Builder setBackoffCriteria(long initialBackoffMillis, int backoffPolicy) {
            return this;
        }

        public JobInfo build() {
            return job;
        }
    }
}
