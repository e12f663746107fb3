import MockKit

/// The endpoint of a request.
enum Route: Equatable {
    /// `POST /3/device/<token>`: a push to a device. The range is that of the token in the path.
    case device(token: Range<Int>)
    /// `POST /4/broadcasts/apps/<bundle identifier>`: a push to a channel. The range is that of the identifier.
    case publish(bundle: Range<Int>)
    case rejected(Rejection)
}

enum RequestRouter {
    private static let devicePrefix: StaticString = "/3/device/"
    private static let deviceWithoutToken: StaticString = "/3/device"
    private static let publishPrefix: StaticString = "/4/broadcasts/apps/"
    private static let post: StaticString = "POST"

    /// The maximum length of a device token in bytes, half its hexadecimal digits. Apple documents only that lengths
    /// vary.
    static let maximumTokenLength = 200

    static func isPost(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
        post.hasBytes(method)
    }

    /// Returns the route of a path. The caller checks the method, which may arrive after the path.
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

    /// True for hexadecimal of any case with two digits for each byte.
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
