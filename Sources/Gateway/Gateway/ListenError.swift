import Glibc
import NIOCore

/// Why a gateway cannot listen, and what to do about it.
public struct ListenError: Error, CustomStringConvertible {
    public let description: String

    init(_ error: IOError, host: String, port: Int) {
        let place = "\(host):\(port)"
        description =
            switch error.errnoCode {
            case EADDRINUSE:
                """
                another process listens at \(place). Stop it, or choose another port: http.port (FANFARE_HTTP_PORT)
                """
            case EADDRNOTAVAIL:
                """
                this machine has no address \(host). http.host (FANFARE_HTTP_HOST) is the address to listen on: 127.0.0.1 \
                for this machine alone, 0.0.0.0 for all networks
                """
            case EACCES:
                """
                no permission to listen at \(place). Ports below 1024 are the system's: choose another one by http.port \
                (FANFARE_HTTP_PORT)
                """
            default: "it cannot listen at \(place): \(error)"
            }
    }
}
