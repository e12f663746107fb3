/// What a signature is made over (Standard Webhooks, "Signature scheme"): id, time and body with full stops between.
public enum SignedContent {
    /// - Parameter timestamp: epoch seconds of the attempt.
    public static func bytes(id: String, timestamp: Int64, body: [UInt8]) -> [UInt8] {
        var bytes = Array("\(id).\(timestamp).".utf8)
        bytes += body
        return bytes
    }

    /// The value of `webhook-signature`: one for each secret that is in force, the newest first.
    /// - Parameter signatures: HMAC-SHA256 over `bytes`, in base64.
    public static func header(_ signatures: [String]) -> String {
        signatures.map { "v1,\($0)" }.joined(separator: " ")
    }
}
