import HTTPTypes

/// What a browser has that has signed in at the console.
enum ConsoleCookie {
    private static let name = "fanfare_console"
    private static let path = "/console"

    /// A browser has more than one where another port of the machine has given it some.
    private static let most = 4

    /// What the request's cookies hold, of what a gateway could have given.
    static func secrets(in headers: HTTPFields) -> [String] {
        var secrets: [String] = []
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, parts[1].utf8.count <= 128, secrets.count < most else {
                    continue
                }
                secrets.append(String(parts[1]))
            }
        }
        return secrets
    }

    /// Gives it to the browser: no script reads it, no other site's request carries it (RFC 6265bis), and where the browser
    /// came by TLS none goes without.
    static func setting(_ secret: String, seconds: Int64, isEncrypted: Bool) -> String {
        "\(name)=\(secret); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isEncrypted ? "; Secure" : "")"
    }

    /// Takes it away.
    static let removal = "\(name)=; Path=\(path); Max-Age=0; HttpOnly; SameSite=Strict"
}
