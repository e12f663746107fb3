import Encodings

/// A compact token: 64 hexadecimal digits become four words, which saves memory with a million phones.
enum PushToken: Hashable, Sendable {
    case words(UInt64, UInt64, UInt64, UInt64)
    case text(String)

    init(_ text: String) {
        guard text.utf8.count == 64, let bytes = Hexadecimal.decode(text.utf8) else {
            self = .text(text)
            return
        }
        func word(_ index: Int) -> UInt64 {
            bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self = .words(word(0), word(1), word(2), word(3))
    }
}
