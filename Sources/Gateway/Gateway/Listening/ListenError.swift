import Glibc
import NIOCore

/// The reason why a gateway cannot listen, with the remedy.
public struct ListenError: Error, CustomStringConvertible {
    public let description: String

    /// - Parameter section: A section of the configuration: `http`, `metrics`, `health` or `console`.
    init(_ error: IOError, host: String, port: Int, section: String) {
        let place = "\(host):\(port)"
        let variable = "FANFARE_\(section.uppercased())"
        description =
            switch error.errnoCode {
            case EADDRINUSE:
                """
                another process listens on \(place). Stop it, or choose another port: \(section).port \
                (\(variable)_PORT)
                """
            case EADDRNOTAVAIL:
                """
                this machine does not have the address \(host). Set \(section).host (\(variable)_HOST) to 127.0.0.1 \
                for this machine only, or to 0.0.0.0 for all interfaces
                """
            case EACCES:
                """
                no permission to listen on \(place). Ports below 1024 are privileged: choose another port: \
                \(section).port (\(variable)_PORT)
                """
            default: "the gateway cannot listen on \(place): \(error)"
            }
    }
}
