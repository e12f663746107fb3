/// The rejection of a request for an access token.
struct TokenRefusal: Error, Equatable {
    let error: MockFCM.TokenError
    /// A human-readable explanation.
    let description: String

    init(_ error: MockFCM.TokenError, _ description: String) {
        self.error = error
        self.description = description
    }
}
