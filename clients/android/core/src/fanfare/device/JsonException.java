package fanfare.device;

/** A text that is not the JSON that was expected. */
final class JsonException extends Exception {
    private static final long serialVersionUID = 1L;

    JsonException(String message) {
        super(message);
    }
}
