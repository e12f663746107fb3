/// Error codes of RST_STREAM and GOAWAY (RFC 9113, section 7). Plain numbers, because a peer may send any.
public enum HTTP2ErrorCode {
    public static let noError: UInt32 = 0
    public static let protocolError: UInt32 = 1
    public static let internalError: UInt32 = 2
    public static let flowControlError: UInt32 = 3
    public static let settingsTimeout: UInt32 = 4
    public static let streamClosed: UInt32 = 5
    public static let frameSizeError: UInt32 = 6
    public static let refusedStream: UInt32 = 7
    public static let cancel: UInt32 = 8
    public static let compressionError: UInt32 = 9
    public static let enhanceYourCalm: UInt32 = 11
}
