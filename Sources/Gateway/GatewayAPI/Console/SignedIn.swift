import HTTPTypes

/// Who asks at the console, in place of a key in the request.
enum SignedIn: Sendable {
    /// Whoever has shown the tenant's API key with this hash.
    case customer(keyHash: String)
    /// An operator, on behalf of the tenant whose present API key has this hash. Takes nothing of the tenant's rate.
    case operatorNamed(String, keyHash: String)
}
