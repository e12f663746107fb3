/// Error codes of RST_STREAM and GOAWAY (RFC 9113, section 7). Plain numbers, because a peer may send any.
public enum HTTP2ErrorCode {
    /// NO_ERROR: the connection ends in order.
    public static let noError: UInt32 = 0
    /// PROTOCOL_ERROR.
    public static let protocolError: UInt32 = 1
    /// INTERNAL_ERROR.
    public static let internalError: UInt32 = 2
    /// FLOW_CONTROL_ERROR.
    public static let flowControlError: UInt32 = 3
    /// SETTINGS_TIMEOUT.
    public static let settingsTimeout: UInt32 = 4
    /// STREAM_CLOSED.
    public static let streamClosed: UInt32 = 5
    /// FRAME_SIZE_ERROR.
    public static let frameSizeError: UInt32 = 6
    /// REFUSED_STREAM: nothing of it was processed.
    public static let refusedStream: UInt32 = 7
    /// CANCEL: the answer is not needed any more.
    public static let cancel: UInt32 = 8
    /// COMPRESSION_ERROR.
    public static let compressionError: UInt32 = 9
    /// ENHANCE_YOUR_CALM.
    public static let enhanceYourCalm: UInt32 = 11
}
