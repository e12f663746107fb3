import Glibc

/// Checks that this machine has the addresses to listen on, and that this user may bind them. A port in use is no
/// problem, because a running gateway may use it.
enum AddressChecks {
    static func problems(of configuration: GatewayConfiguration, _ settings: SettingsReader) -> [ConfigurationProblem] {
        let (health, console, metrics) = (configuration.health, configuration.console, configuration.metrics)
        let listeners = [
            ("http", configuration.http.host, configuration.http.port as Int?), ("health", health.host, health.port),
            ("console", console.host, console.port),
            ("metrics", metrics.host, metrics.isEnabled ? metrics.port : nil),
        ]
        return listeners.flatMap { section, host, port -> [ConfigurationProblem] in
            guard let port else { return [] }
            switch resolved(host, port) {
            case .failure(let unknown):
                return [
                    problem(
                        "\(section).host", settings, "\"\(host)\" is not an address: \(unknown.words).",
                        "Use an address of this machine, like 127.0.0.1, or 0.0.0.0 for all interfaces.")
                ]
            case .success(let address):
                return fault(trying(address), host, port).map { fault in
                    [problem("\(section).\(fault.isOfPort ? "port" : "host")", settings, fault.words, fault.advice)]
                } ?? []
            }
        }
    }

    private static func problem(
        _ key: String, _ settings: SettingsReader, _ message: String, _ advice: String
    ) -> ConfigurationProblem {
        ConfigurationProblem(key: key, source: settings.source(of: key), message, advice: advice)
    }

    private struct Address {
        let family: Int32
        let bytes: [UInt8]
    }

    private struct Unknown: Error {
        let words: String
    }

    private static func resolved(_ host: String, _ port: Int) -> Result<Address, Unknown> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        // Binding port 0 cannot collide with another process or a gateway that is about to start.
        let code = getaddrinfo(host, isReserved(port) ? String(port) : "0", &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0, let first = found?.pointee, let address = first.ai_addr else {
            return .failure(Unknown(words: String(cString: gai_strerror(code))))
        }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen))
        return .success(Address(family: first.ai_family, bytes: Array(bytes)))
    }

    /// True if binding the port requires a privilege.
    private static func isReserved(_ port: Int) -> Bool { (1..<1024).contains(port) }

    /// Binds the address briefly. Returns the error number, or 0.
    private static func trying(_ address: Address) -> Int32 {
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let result = address.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            } ?? 0
        }
        return result == 0 ? 0 : errno
    }

    /// Explains an error of listening; nil if the configuration is not its cause.
    static func fault(
        _ code: Int32, _ host: String, _ port: Int
    ) -> (isOfPort: Bool, words: String, advice: String)? {
        switch code {
        case 0, EADDRINUSE: nil
        case EADDRNOTAVAIL:
            (
                false, "This machine does not have the address \(host).",
                "Use 127.0.0.1 for this machine only, or 0.0.0.0 for all interfaces."
            )
        case EACCES:
            (
                true, "This user may not listen on port \(port).",
                "Ports below 1024 are privileged: choose another port, and put a proxy in front of it."
            )
        default:
            (false, "The gateway cannot listen on \(host): \(String(cString: strerror(code))).", "Use another address.")
        }
    }
}
