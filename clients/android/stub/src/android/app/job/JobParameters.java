package android.app.job;

/** The part of the framework class that the library uses: declarations, to compile against. */
public class JobParameters {
}
