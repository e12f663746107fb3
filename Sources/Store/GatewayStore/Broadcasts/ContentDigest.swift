import LiveActivity
import Secrets

/// A digest of what a broadcast shows, for comparison with the next one after its content is gone. It is two truncated
/// HMAC-SHA256: 16 bytes for the state, and 16 for an alert.
///
/// With a sealed store its key is the app's, so access to Redis does not suffice to guess contents. After a change of
/// that key, equal content counts as new once, and is sent.
enum ContentDigest {
    /// The bytes of each of the two digests.
    static let partLength = 16

    /// Empty for a payload without a content state.
    static func bytes(of payload: Payload, in activity: UniqueID, tenantID: String, sealer: ContentSealer?) -> [UInt8] {
        guard let display = payload.display else { return [] }
        func half(_ bytes: [UInt8], _ name: String) -> ArraySlice<UInt8> {
            let message = Array("\(activity)\n\(name)\n".utf8) + bytes
            let digest =
                sealer?.digest(of: message, tenantID: tenantID)
                ?? Digest.hmacSHA256(key: Array(activity.description.utf8), message)
            return digest.prefix(partLength)
        }
        let alert = display.alert.isEmpty ? [] : half(display.alert, "alert")
        return Array(half(display.state, "state") + alert)
    }
}
