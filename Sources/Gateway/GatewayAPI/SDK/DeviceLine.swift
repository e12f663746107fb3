public import LiveActivity

/// A line of a device import: the fields of the SDK's PUT device, and where there is one `push_to_start_token`, of an
/// Android device `registration_token`.
public struct DeviceLine: Sendable {
    /// Which device it is.
    public let key: DeviceKey
    /// What it says of itself.
    public let device: Device
    /// The bytes of its push-to-start token, of an Android device those of its registration token; nil when the line
    /// has none.
    public let token: [UInt8]?

    /// What is wrong with a line, for people.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads one line of JSON. Throws what is wrong with it.
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
