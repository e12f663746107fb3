package fanfare.device;

import java.io.IOException;

/** Asks the app's own server to sign for its user: see docs/signatures.md of the gateway. */
public interface IdentitySigner {
    /**
     * A signature for reports of this user from this phone. It is asked for before the first report, and again after the
     * gateway has refused the last one; in between it is kept, also on disk. Called on the upload thread, which may be
     * blocked for some seconds.
     *
     * @param insiderId the user; after a logout the one who has left, for the last report of that user
     * @param udid the phone
     * @return the value of {@code X-Identity-Signature}, or null when there is none for this user: the report is then sent
     *     without one
     * @throws IOException when the server cannot be reached: it is asked again later, with backoff
     */
    String sign(String insiderId, String udid) throws IOException;
}
