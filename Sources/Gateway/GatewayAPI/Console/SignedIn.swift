import HTTPTypes

/// The identity behind a console session, in place of a key in the request.
enum SignedIn: Sendable {
    /// A customer who signed in with the tenant's API key of this hash.
    case customer(keyHash: String)
    /// An operator, on behalf of the tenant whose current API key has this hash. The tenant's rate is not charged.
    case operatorNamed(String, keyHash: String)
}
