/// A Google service account that may send the messages of a Firebase project: what the JSON file says that Google gives
/// out with each key.
///
/// Its private key is shown by nothing but `privateKey`: descriptions and reflections leave it out.
public struct ServiceAccount: Hashable, Sendable {
    /// `project_id`: the Firebase project. It stands in the path of requests.
    public let projectID: String
    /// `client_email`: who the account is.
    public let clientEmail: String
    /// `private_key`: the text of a PEM file with a PKCS#8 private key. Whether the key in it is whole and fit for
    /// RS256 is for whoever signs to find out.
    public let privateKey: String
    /// `private_key_id`: what Google names the key by; nil when the file does not say.
    public let privateKeyID: String?
    /// `token_uri`: the https URL at which access tokens are given out.
    public let tokenURI: String
}

extension ServiceAccount: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "service account \(clientEmail)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["projectID": projectID, "clientEmail": clientEmail]) }
}
