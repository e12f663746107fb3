package fanfare.device;

/** A report that was given up. Immutable. */
public final class Refusal {
    private final String what;
    private final String subject;
    private final int status;
    private final String code;
    private final String message;

    Refusal(String what, String subject, int status, String code, String message) {
        this.what = what;
        this.subject = subject;
        this.status = status;
        this.code = code;
        this.message = message;
    }

    /** What it said, such as {@code FOLLOW}, {@code SCHEDULE} or {@code TAP}; not null. */
    public String what() {
        return what;
    }

    /** The topic, or the key of the Live Activity, that it was about; not null, empty for the device itself. */
    public String subject() {
        return subject;
    }

    /** The gateway's HTTP status; 0 when it was given up without an answer. */
    public int status() {
        return status;
    }

    /** The gateway's code, such as {@code VALIDATION_FAILED}; not null, empty when there is none. */
    public String code() {
        return code;
    }

    /** The gateway's sentence for people; not null. */
    public String message() {
        return message;
    }

    @Override
    public String toString() {
        return what + " " + subject + ": " + status + " " + code + " " + message;
    }
}
