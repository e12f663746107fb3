import LiveActivity
import Secrets

/// Stands for what a broadcast shows, so that the next one can be compared with it when its content is gone. It is all
/// that is kept of content beyond its broadcast: 16 bytes for what the Live Activity shows and 16 for the alert, if
/// there is one, of an HMAC-SHA256.
/// With a sealed store its key is the app's, so who reads Redis cannot try contents until one fits. After a change of
/// that key, content counts as another once, and is sent.
enum ContentDigest {
    /// Bytes of each of the two.
    static let partLength = 16

    /// Nothing for a payload that shows nothing: an end.
    static func bytes(of payload: Payload, in activity: UniqueID, tenantID: String, sealer: ContentSealer?) -> [UInt8] {
        guard let display = payload.display else { return [] }
        func half(_ bytes: [UInt8], _ name: String) -> ArraySlice<UInt8> {
            let message = Array("\(activity)\n\(name)\n".utf8) + bytes
            let digest =
                sealer?.digest(of: message, tenantID: tenantID)
                ?? Digest.hmacSHA256(key: Array(activity.description.utf8), message)
            return digest.prefix(partLength)
        }
        // Without an alert there is nothing to compare.
        let alert = display.alert.isEmpty ? [] : half(display.alert, "alert")
        return Array(half(display.state, "state") + alert)
    }
}
