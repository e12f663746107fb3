import Encodings

extension UserRecord {
    /// A token that a device has no more, while the index of owners, which lies on another node, still says that it was
    /// the device's. It is noted in the step that takes the token away: so whoever is cut off before the next step
    /// leaves something that the device's next change, or its erasure, goes on with.
    struct ReplacedToken {
        /// Its field in the user's hash.
        let field: [UInt8]
        let device: UInt32
        let token: [UInt8]

        init(_ token: [UInt8], device: UInt32) {
            field = [UInt8(ascii: "r")] + Varint.encode(device) + token
            self.device = device
            self.token = token
        }

        /// Nil for a field of another kind.
        init?(_ field: [UInt8]) {
            var reader = ByteReader(Array(field.dropFirst()))
            guard field.first == UInt8(ascii: "r"), let device = reader.varint() else { return nil }
            self.field = field
            self.device = device
            token = Array(reader.rest())
        }
    }
}
