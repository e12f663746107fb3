import Encodings

extension UserRecord {
    /// A replaced token of a device whose owner the index of owners, on another node, still lists. The step that
    /// replaces the token records it. If the next step is lost, the device's next change or its erasure completes it.
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
