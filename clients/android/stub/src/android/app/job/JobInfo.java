package android.app.job;

import android.content.ComponentName;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class JobInfo {
    public static final int NETWORK_TYPE_ANY = 1;
    public static final int BACKOFF_POLICY_EXPONENTIAL = 1;

    /** Makes jobs. */
    public static final class Builder {
        public Builder(int jobId, ComponentName service) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setRequiredNetworkType(int networkType) {
            throw new UnsupportedOperationException("a declaration");
        }

        public Builder setBackoffCriteria(long initialBackoffMillis, int backoffPolicy) {
            throw new UnsupportedOperationException("a declaration");
        }

        public JobInfo build() {
            throw new UnsupportedOperationException("a declaration");
        }
    }
}
