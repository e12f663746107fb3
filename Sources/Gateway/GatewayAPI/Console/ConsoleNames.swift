import Encodings
import HTTPTypes
import Hummingbird
import NIOCore

/// The names by which a browser may reach the console.
///
/// Guards against DNS rebinding: an attacker's domain can resolve to this machine, and a page there would then share
/// the console's origin. A console on a loopback address therefore accepts only loopback names and its configured name.
struct ConsoleNames {
    /// Nil if the network can reach the console, by names that are unknown here.
    private let own: String?

    /// - Parameter host: The name or address that the console listens on.
    init(host: String) {
        own = Loopback.contains(host: host) ? host.lowercased() : nil
    }

    /// True if a request's `Host`, with or without a port, is one of them.
    func contain(_ authority: String?) -> Bool {
        guard let own else { return true }
        guard let host = authority.flatMap({ try? Authority($0) })?.host else { return false }
        return Loopback.contains(host: host) || host.lowercased() == own
    }

    /// The answer to a request with another name.
    static var misdirected: Response {
        let text =
            "the console accepts only localhost and loopback addresses as Host; open it there, or set console.host\n"
        return Response(
            status: .misdirectedRequest, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
