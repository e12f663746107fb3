import Encodings
import HTTPTypes
import Hummingbird
import NIOCore

/// The names by which a browser may reach the console.
///
/// Whoever has a name of their own can let it lead to this machine (DNS rebinding), and their page in a browser here
/// would then be one of the console's own site. A browser says which name it has followed: where only this machine
/// reaches the console nothing but its loopback names and the configured one is taken.
struct ConsoleNames {
    /// Nil where the network reaches the console, by names that nobody here knows.
    private let own: String?

    /// - Parameter host: the name or address that the console listens on.
    init(host: String) {
        own = Loopback.contains(host: host) ? host.lowercased() : nil
    }

    /// Whether a request's `Host`, with or without a port, is one of them.
    func contain(_ authority: String?) -> Bool {
        guard let own else { return true }
        guard let host = authority.flatMap({ try? Authority($0) })?.host else { return false }
        return Loopback.contains(host: host) || host.lowercased() == own
    }

    /// The answer to a request with another one.
    static var misdirected: Response {
        let text =
            "the console accepts only localhost and loopback addresses as Host; open it there, or set console.host\n"
        return Response(
            status: .misdirectedRequest, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
