package fanfare.device;

import java.io.IOException;

/** Carries one request to the gateway. */
public interface Transport {
    /**
     * Sends the request and waits for the whole reply. Called on the upload thread, one request at a time. It must have a
     * deadline, must not follow redirects, and must not send a request twice by itself.
     *
     * @param request not null
     * @return the reply, whatever its status; not null
     * @throws IOException when there is none: no network, a connection that breaks, a deadline that passes
     */
    Reply send(Request request) throws IOException;
}
