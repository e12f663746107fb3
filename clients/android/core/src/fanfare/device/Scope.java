package fanfare.device;

/** Whose name the {@code external_id} of an activity is that the app opens. */
public enum Scope {
    /** The user's own: the same one of another user is another activity. */
    USER("user"),
    /** That of all users: who opens the same joins it. */
    SHARED("shared");

    final String name;

    Scope(String name) {
        this.name = name;
    }
}
