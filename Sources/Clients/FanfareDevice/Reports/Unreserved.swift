extension UInt8 {
    /// True for an unreserved character of a URL (RFC 3986): a letter, a digit, or one of `-._~`.
    var isUnreserved: Bool {
        switch UnicodeScalar(self) {
        case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }
}
