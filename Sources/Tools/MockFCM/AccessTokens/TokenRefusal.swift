/// Why a request for an access token is refused.
struct TokenRefusal: Error, Equatable {
    let error: MockFCM.TokenError
    /// For people.
    let description: String

    init(_ error: MockFCM.TokenError, _ description: String) {
        self.error = error
        self.description = description
    }
}
