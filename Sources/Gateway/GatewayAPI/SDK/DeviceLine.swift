public import LiveActivity

/// A line of a device import: the fields of the SDK's PUT device, and `push_to_start_token` where there is one.
public struct DeviceLine: Sendable {
    /// Which device it is.
    public let key: DeviceKey
    /// What it says of itself.
    public let device: Device
    /// Its push-to-start token's bytes; nil when the line has none.
    public let pushToStartToken: [UInt8]?

    /// What is wrong with a line, for people.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads one line of JSON. Throws what is wrong with it.
    public init(_ line: [UInt8]) throws(Invalid) {
        do {
            let root = try JSONDocument(parsing: line).root
            guard root.kind == .object else { throw Invalid(description: "it is no JSON object") }
            key = try root.deviceKey()
            device = try root.device()
            pushToStartToken = try root.optional("push_to_start_token") == nil ? nil : root.token("push_to_start_token")
        } catch let error as Invalid {
            throw error
        } catch let error as APIError {
            throw Invalid(description: error.message)
        } catch {
            throw Invalid(description: "\(error)")
        }
    }
}
