/// Bodies of answers as FCM sends them.
enum FCMBody {
    private static let fcmError = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

    /// - Parameters:
    ///   - status: the canonical code.
    ///   - details: further objects, each as JSON.
    static func error(
        _ status: String, code errorCode: String? = nil, message: String = "Request refused.", details: [String] = []
    ) -> [UInt8] {
        let own = errorCode.map { [#"{"@type": "\#(fcmError)", "errorCode": "\#($0)"}"#] } ?? []
        let all = (own + details).joined(separator: ", ")
        let list = all.isEmpty ? "" : #", "details": [\#(all)]"#
        return Array(#"{"error": {"code": 400, "message": "\#(message)", "status": "\#(status)"\#(list)}}"#.utf8)
    }

    static func violation(field: String, _ description: String = "Wrong.") -> String {
        let violation = #"{"field": "\#(field)", "description": "\#(description)"}"#
        return #"{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [\#(violation)]}"#
    }

    static func quota(_ description: String) -> String {
        let violation = #"{"subject": "project:1", "description": "\#(description)"}"#
        return #"{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [\#(violation)]}"#
    }

    static let html = Array(
        "<!DOCTYPE html><html lang=en><title>Error (Server Error)!!1</title><p>UNREGISTERED registration token</html>"
            .utf8)
}
