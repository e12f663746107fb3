package fanfare.device.android;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import android.content.ComponentName;
import android.content.Context;
import fanfare.device.FanfareDevice;

/**
 * Sends what waits when the phone has a network, also after the app's process has died: the system starts it for that. It
 * stands in the app's manifest with the permission {@code android.permission.BIND_JOB_SERVICE}.
 */
public final class UploadJob extends JobService {
    /** Names the job among the app's. */
    public static final int JOB_ID = 0x0FA0FB;
    private static final long LONGEST_RUN = 60_000;
    private static final long FIRST_BACKOFF = 60_000;

    /**
     * Has the system run it once there is a network; the same again changes nothing. Call it when the app leaves the screen,
     * and something waits.
     */
    public static void schedule(Context context) {
        FanfareDevice device = FanfareAndroid.installed();
        if (device == null || device.status().waiting() == 0) return;
        JobScheduler scheduler = context.getSystemService(JobScheduler.class);
        if (scheduler == null || scheduler.getPendingJob(JOB_ID) != null) return;
        JobInfo job = new JobInfo.Builder(JOB_ID, new ComponentName(context, UploadJob.class))
            .setRequiredNetworkType(JobInfo.NETWORK_TYPE_ANY)
            .setBackoffCriteria(FIRST_BACKOFF, JobInfo.BACKOFF_POLICY_EXPONENTIAL)
            .build();
        scheduler.schedule(job);
    }

    @Override
    public boolean onStartJob(JobParameters parameters) {
        FanfareDevice device = FanfareAndroid.installed();
        if (device == null) return false;
        device.onNetworkAvailable();
        Thread waits = new Thread(() -> {
            boolean isDone = false;
            try {
                isDone = device.flush(LONGEST_RUN);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            jobFinished(parameters, !isDone);
        }, "fanfare-upload-job");
        waits.setDaemon(true);
        waits.start();
        return true;
    }

    /** The system has no more time: the job is run again. */
    @Override
    public boolean onStopJob(JobParameters parameters) {
        return true;
    }
}
