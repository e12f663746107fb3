import GatewayStore
import LiveActivity
import RosterCore

extension JSONValue {
    /// The fields of a device.
    func device() throws -> Device {
        guard let platform = try optionalString("platform").flatMap(Device.Platform.init) else {
            throw try refusal("platform", "ios or android")
        }
        guard let version = try optionalString("os_version").flatMap({ OSVersion($0) }) else {
            throw try refusal("os_version", "a version such as 18.1")
        }
        guard let pushOptIn = try optionalBool("push_opt_in") else {
            throw try refusal("push_opt_in", "true or false")
        }
        guard let gdprConsent = try optionalBool("gdpr_consent") else {
            throw try refusal("gdpr_consent", "true or false")
        }
        guard let environment = try optionalString("environment").flatMap(Device.Environment.init) else {
            throw try refusal("environment", "production or sandbox")
        }
        let appVersion = try optionalString("app_version")
        guard (appVersion?.utf8.count ?? 0) <= 64 else {
            throw APIError.invalid("app_version", "a string of at most 64 bytes")
        }
        return Device(
            platform: platform, osVersion: version, appVersion: appVersion, pushOptIn: pushOptIn,
            gdprConsent: gdprConsent, frequentPushes: try optionalBool("frequent_pushes") ?? false,
            environment: environment)
    }

    /// A token: hexadecimal digits of any even number up to 400.
    func token(_ field: String = "token") throws -> [UInt8] {
        guard let token = try optionalToken(field) else { throw try refusal(field, JSONValue.tokenForm) }
        return token
    }

    /// A token in the form of `token(_:)`; nil if the field is absent.
    func optionalToken(_ field: String = "token") throws -> [UInt8]? {
        guard let value = try optional(field) else { return nil }
        guard value.kind == .string else { throw APIError.invalid(field, "a string") }
        guard let token = value.hexadecimal, (1...TokenPage.maximumTokenLength).contains(token.count) else {
            throw APIError.invalid(field, JSONValue.tokenForm)
        }
        return token
    }

    /// FCM's registration token: 1 to 1,024 bytes of printable ASCII without spaces.
    func registrationToken(_ field: String = "token") throws -> [UInt8] {
        let token = try optionalString(field).map { Array($0.utf8) } ?? []
        guard RegistrationToken.isAddressable(token), token.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw try refusal(
                field,
                """
                1 to \(RegistrationToken.longest) printable ASCII characters without spaces, of which quotes and \
                backslashes count twice
                """)
        }
        return token
    }

    private static let tokenForm =
        "2 to \(TokenPage.maximumTokenLength * 2) hexadecimal digits, an even number"
}
