/// The members of a send request in FCM's reference ("projects.messages.send", "Message"). Like in all of Google's
/// APIs, names may be in snake case or camel case.
enum MessageSchema {
    indirect enum Kind {
        case string, bool, number, duration, priority, strings
        /// An object whose values are strings.
        case texts
        case object([String: Kind])
        /// An object with unchecked members.
        case anyObject
        case anyArray
    }

    static let request: [String: Kind] = ["message": .object(message), "validate_only": .bool]

    private static let message: [String: Kind] = [
        "name": .string, "data": .texts, "token": .string, "topic": .string, "condition": .string,
        "notification": .object(["title": .string, "body": .string, "image": .string]),
        "android": .object(android), "fcm_options": .object(["analytics_label": .string]),
        "apns": .object([
            "headers": .texts, "payload": .anyObject, "fcm_options": .anyObject, "live_activity_token": .string,
        ]),
        "webpush": .object([
            "headers": .texts, "data": .texts, "notification": .anyObject, "fcm_options": .anyObject,
        ]),
    ]

    private static let android: [String: Kind] = [
        "collapse_key": .string, "priority": .priority, "ttl": .duration, "restricted_package_name": .string,
        "data": .texts, "notification": .object(notification), "fcm_options": .object(["analytics_label": .string]),
        "direct_boot_ok": .bool, "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
    ]

    private static let notification: [String: Kind] = [
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .strings, "title_loc_key": .string,
        "title_loc_args": .strings, "channel_id": .string, "ticker": .string, "sticky": .bool,
        "event_time": .string, "local_only": .bool, "notification_priority": .string, "default_sound": .bool,
        "default_vibrate_timings": .bool, "default_light_settings": .bool, "vibrate_timings": .anyArray,
        "visibility": .string, "notification_count": .number, "light_settings": .anyObject, "image": .string,
        "proxy": .string,
    ]

    /// Converts a name from camel case to snake case. Other names are unchanged.
    static func spelling(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isASCII, character.isUppercase { result.append("_") }
            result.append(contentsOf: character.lowercased())
        }
        return result
    }
}
