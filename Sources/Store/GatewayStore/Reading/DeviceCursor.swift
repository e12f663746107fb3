import Encodings
import LiveActivity

/// Where a listing of devices goes on. Its text says nothing to anybody else, and may change with any version.
public struct DeviceCursor: Equatable, Sendable {
    let slot: UInt32

    private static let version: UInt8 = 1

    init(slot: UInt32) {
        self.slot = slot
    }

    /// Nil for a text that `text` has not given.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.decode(text.utf8) else { return nil }
        var reader = ByteReader(bytes)
        guard reader.byte() == DeviceCursor.version, let slot = reader.integer(UInt32.self), reader.isAtEnd else {
            return nil
        }
        self.slot = slot
    }

    /// For the client to give back: hex digits.
    public var text: String {
        var bytes = [DeviceCursor.version]
        bytes.append(littleEndian: slot, bytes: 4)
        return Hexadecimal.encode(bytes)
    }
}
