import MockKit

/// Which endpoint a request is for, by its path and method. A place of its own, so that further endpoints of the
/// providers can live behind the same server.
enum Route: Equatable {
    /// `POST /3/device/<token>`: one push to one device. The range is that of the token in the path.
    case device(token: Range<Int>)
    /// `POST /4/broadcasts/apps/<bundle identifier>`: one push to a channel. The range is that of the identifier.
    case publish(bundle: Range<Int>)
    case rejected(Rejection)
}

enum RequestRouter {
    private static let devicePrefix: StaticString = "/3/device/"
    private static let deviceWithoutToken: StaticString = "/3/device"
    private static let publishPrefix: StaticString = "/4/broadcasts/apps/"
    private static let post: StaticString = "POST"

    /// The longest device token, in bytes; twice as many hexadecimal digits. Apple says only that they vary.
    static let maximumTokenLength = 200

    static func isPost(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
        post.hasBytes(method)
    }

    /// Where `path` leads. The method is checked apart, as it may come in either order.
    static func route(path: UnsafeBufferPointer<UInt8>) -> Route {
        let prefixLength = devicePrefix.utf8CodeUnitCount
        guard path.count >= prefixLength,
            devicePrefix.hasBytes(UnsafeBufferPointer(rebasing: path[..<prefixLength]))
        else {
            if let bundle = bundle(ofPublish: path) { return .publish(bundle: bundle) }
            return .rejected(deviceWithoutToken.hasBytes(path) ? .missingDeviceToken : .badPath)
        }
        let token = path[prefixLength...]
        guard !token.isEmpty else { return .rejected(.missingDeviceToken) }
        guard !token.contains(UInt8(ascii: "/")) else { return .rejected(.badPath) }
        guard isDeviceToken(token) else { return .rejected(.badDeviceToken) }
        return .device(token: prefixLength..<path.count)
    }

    private static func bundle(ofPublish path: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let length = publishPrefix.utf8CodeUnitCount
        guard path.count > length, publishPrefix.hasBytes(UnsafeBufferPointer(rebasing: path[..<length])),
            !path[length...].contains(UInt8(ascii: "/"))
        else { return nil }
        return length..<path.count
    }

    /// Hexadecimal of any case, two digits for each byte.
    static func isDeviceToken(_ text: String) -> Bool { isDeviceToken(Array(text.utf8)) }

    private static func isDeviceToken(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.count % 2 == 0 && text.count <= maximumTokenLength * 2 && text.allSatisfy(isHexadecimal)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
