import Encodings
import LiveActivity

/// A position in a listing of devices. Its text is opaque to clients and may change with any version.
public struct DeviceCursor: Equatable, Sendable {
    let slot: UInt32

    private static let version: UInt8 = 1

    init(slot: UInt32) {
        self.slot = slot
    }

    /// Returns nil for a text that does not come from `text`.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.decode(text.utf8) else { return nil }
        var reader = ByteReader(bytes)
        guard reader.byte() == DeviceCursor.version, let slot = reader.integer(UInt32.self), reader.isAtEnd else {
            return nil
        }
        self.slot = slot
    }

    /// The text for the client to return: hex digits.
    public var text: String {
        var bytes = [DeviceCursor.version]
        bytes.append(littleEndian: slot, bytes: 4)
        return Hexadecimal.encode(bytes)
    }
}
