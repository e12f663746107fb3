import Glibc
import NIOCore

/// Why a gateway cannot listen, and what to do about it.
public struct ListenError: Error, CustomStringConvertible {
    public let description: String

    /// - Parameter section: of the configuration: `http`, `metrics` or `health`.
    init(_ error: IOError, host: String, port: Int, section: String) {
        let place = "\(host):\(port)"
        let variable = "FANFARE_\(section.uppercased())"
        description =
            switch error.errnoCode {
            case EADDRINUSE:
                """
                another process listens at \(place). Stop it, or choose another port: \(section).port (\(variable)_PORT)
                """
            case EADDRNOTAVAIL:
                """
                this machine has no address \(host). \(section).host (\(variable)_HOST) is the address to listen on: \
                127.0.0.1 for this machine alone, 0.0.0.0 for all networks
                """
            case EACCES:
                """
                no permission to listen at \(place). Ports below 1024 are the system's: choose another one by \
                \(section).port (\(variable)_PORT)
                """
            default: "it cannot listen at \(place): \(error)"
            }
    }
}
