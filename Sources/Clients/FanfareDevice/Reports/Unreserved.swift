extension UInt8 {
    /// Whether it is a character that stands for itself in a URL (RFC 3986): a letter, a digit, or one of `-._~`.
    var isUnreserved: Bool {
        switch UnicodeScalar(self) {
        case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }
}
