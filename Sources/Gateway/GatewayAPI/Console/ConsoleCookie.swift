import Encodings
import HTTPTypes

/// The cookie of a browser that is signed in at the console.
///
/// Browsers send a cookie to every port of a host. The port is part of the name, so consoles behind several ports of
/// one host, for example tunnels, do not overwrite each other's cookies.
struct ConsoleCookie {
    private let name: String

    /// - Parameter authority: The host and port by which the browser reached the console.
    init(authority: String?) {
        let port = authority.flatMap { try? Authority($0) }?.port
        name = port.map { "fanfare_console_\($0)" } ?? "fanfare_console"
    }

    private static let path = "/console"
    /// The maximum of cookies that are read. Another service on the machine may have set more of the same name.
    private static let most = 4

    /// Returns the values of the request's cookies that a gateway may have set.
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

    /// Returns the field that sets the cookie. No script can read it and no other site's request carries it (RFC
    /// 6265bis). With TLS it is sent only over TLS.
    func setting(_ secret: String, seconds: Int64, isEncrypted: Bool) -> String {
        "\(name)=\(secret); Path=\(ConsoleCookie.path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isEncrypted ? "; Secure" : "")"
    }

    /// The field that deletes the cookie.
    var removal: String { "\(name)=; Path=\(ConsoleCookie.path); Max-Age=0; HttpOnly; SameSite=Strict" }
}
