package fanfare.device;

/** What a Live Activity shows that the app opens. Immutable. */
public final class Content {
    final String title;
    final String message;
    final String contentState;
    final String attributes;

    /**
     * @param title the notification's title; not null, not blank
     * @param message its text; null for none
     * @param contentState a JSON object, in the form that the customer sends it; null for none
     * @param attributes a JSON object; null for none
     * @throws IllegalArgumentException if one of them is none
     */
    public Content(String title, String message, String contentState, String attributes) {
        this.title = Names.require(title, 1_000, "title");
        this.message = message;
        this.contentState = json(contentState, "contentState");
        this.attributes = json(attributes, "attributes");
    }

    static String json(String text, String name) {
        if (text != null && !Json.isObject(text)) throw new IllegalArgumentException(name + " must be a JSON object");
        return text;
    }
}
