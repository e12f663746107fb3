/// The text that a signature covers (Standard Webhooks, "Signature scheme"): id, time and body, joined by full stops.
public enum SignedContent {
    /// - Parameter timestamp: The attempt's time in epoch seconds.
    public static func bytes(id: String, timestamp: Int64, body: [UInt8]) -> [UInt8] {
        var bytes = Array("\(id).\(timestamp).".utf8)
        bytes += body
        return bytes
    }

    /// The value of `webhook-signature`: one signature for each valid secret, the newest first.
    /// - Parameter signatures: HMAC-SHA256 over `bytes`, in base64.
    public static func header(_ signatures: [String]) -> String {
        signatures.map { "v1,\($0)" }.joined(separator: " ")
    }
}
