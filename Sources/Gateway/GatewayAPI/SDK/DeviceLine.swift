public import LiveActivity

/// A line of a device import: the fields of the SDK's PUT device, with an optional `push_to_start_token`, or
/// `registration_token` on Android.
public struct DeviceLine: Sendable {
    /// The device.
    public let key: DeviceKey
    /// The reported properties.
    public let device: Device
    /// The bytes of the push-to-start token, or of an Android device's registration token; nil without one.
    public let token: [UInt8]?

    /// The error of an invalid line, with a text for people.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// Parses one line of JSON.
    public init(_ line: [UInt8]) throws(Invalid) {
        do {
            let root = try JSONDocument(parsing: line).root
            guard root.kind == .object else { throw Invalid(description: "the line must be a JSON object") }
            key = try root.deviceKey()
            device = try root.device()
            let (field, other) =
                device.platform.hasOneToken
                ? ("registration_token", "push_to_start_token") : ("push_to_start_token", "registration_token")
            guard try root.optional(other) == nil else {
                throw Invalid(description: "\(other) is not allowed for platform \(device.platform.rawValue)")
            }
            if try root.optional(field) == nil {
                token = nil
            } else {
                token = try device.platform.hasOneToken ? root.registrationToken(field) : root.token(field)
            }
        } catch let error as Invalid {
            throw error
        } catch let error as APIError {
            throw Invalid(description: error.message)
        } catch {
            throw Invalid(description: "\(error)")
        }
    }
}
