package android.app.job;

/** The framework class as far as tests need it: it works, and remembers. */
public class JobParameters {
}
