import Encodings
import HTTPTypes

/// What a browser has that has signed in at the console.
///
/// Browsers send a cookie to every port of a host. Consoles of several gateways that are reached so, as by tunnels,
/// have cookies of different names, so that none takes another's place.
struct ConsoleCookie {
    private let name: String

    /// - Parameter authority: where the browser has found the console, as it says itself.
    init(authority: String?) {
        let port = authority.flatMap { try? Authority($0) }?.port
        name = port.map { "fanfare_console_\($0)" } ?? "fanfare_console"
    }

    private static let path = "/console"
    /// A browser has more than one where another port of the machine has given it some.
    private static let most = 4

    /// What the request's cookies hold, of what a gateway could have given.
    func secrets(in headers: HTTPFields) -> [String] {
        var secrets: [String] = []
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, parts[1].utf8.count <= 128, secrets.count < ConsoleCookie.most
                else {
                    continue
                }
                secrets.append(String(parts[1]))
            }
        }
        return secrets
    }

    /// Gives it to the browser: no script reads it, no other site's request carries it (RFC 6265bis), and where the
    /// browser came by TLS none goes without.
    func setting(_ secret: String, seconds: Int64, isEncrypted: Bool) -> String {
        "\(name)=\(secret); Path=\(ConsoleCookie.path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isEncrypted ? "; Secure" : "")"
    }

    /// Takes it away.
    var removal: String { "\(name)=; Path=\(ConsoleCookie.path); Max-Age=0; HttpOnly; SameSite=Strict" }
}
