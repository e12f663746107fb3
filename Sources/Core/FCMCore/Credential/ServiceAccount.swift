/// A Google service account that may send the messages of a Firebase project, from the JSON file of its key.
///
/// Only `privateKey` exposes the private key: descriptions and reflections omit it.
public struct ServiceAccount: Hashable, Sendable {
    /// `project_id`: the Firebase project, which is part of the path of requests.
    public let projectID: String
    /// `client_email`: the account's identity.
    public let clientEmail: String
    /// `private_key`: the text of a PEM file with a PKCS#8 private key. The signer checks that the key is complete and
    /// suitable for RS256.
    public let privateKey: String
    /// `private_key_id`: Google's name for the key; nil if the file has none.
    public let privateKeyID: String?
    /// `token_uri`: the https URL of the token endpoint.
    public let tokenURI: String
}

extension ServiceAccount: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "service account \(clientEmail)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["projectID": projectID, "clientEmail": clientEmail]) }
}
