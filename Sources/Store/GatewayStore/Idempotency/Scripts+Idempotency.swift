extension Scripts {
    static let claimIdempotencyKey = ScriptLibrary.embedded["claim-idempotency-key"]
}
