import LiveActivity

/// The content of an error body besides its code: `google.rpc.Status` with details of Google's error model.
struct ErrorDetails: Equatable {
    /// The invalid fields of the message.
    var violations: [FieldViolation] = []
    /// The subject whose quota is used up: `project:…` or `device:…`.
    var quotaSubject: String?
    /// The reason with which Google's APIs reject the caller.
    var errorInfo: String?
    /// True if the details contain the FCM code.
    var hasCode = true

    struct FieldViolation: Error, Equatable {
        /// The field's path, for example `message.android.ttl`.
        let field: String
        let description: String
        /// True if FCM rejects the field; false if the JSON parser of Google's APIs does.
        var isOfFCM = true
    }

    /// Returns the body of the error.
    func body(_ code: MockFCM.ErrorCode, message: String, withDetails: Bool) -> [UInt8] {
        JSONWriter.object {
            $0.object("error") { error in
                error.field("code", code.status)
                error.field("message", message)
                error.field("status", code.canonical)
                if withDetails, !isEmpty(code) { error.array("details") { write(code, to: &$0) } }
            }
        }
    }

    private func isEmpty(_ code: MockFCM.ErrorCode) -> Bool {
        !(hasCode && code.isOfFCM) && violations.isEmpty && quotaSubject == nil && errorInfo == nil
    }

    private func write(_ code: MockFCM.ErrorCode, to details: inout JSONArrayWriter) {
        if hasCode, code.isOfFCM {
            details.object {
                $0.field("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
                $0.field("errorCode", code.rawValue)
            }
        }
        if !violations.isEmpty {
            details.object {
                $0.field("@type", "type.googleapis.com/google.rpc.BadRequest")
                $0.array("fieldViolations") { list in
                    for violation in violations {
                        list.object {
                            $0.field("field", violation.field)
                            $0.field("description", violation.description)
                        }
                    }
                }
            }
        }
        if let quotaSubject {
            details.object {
                $0.field("@type", "type.googleapis.com/google.rpc.QuotaFailure")
                $0.array("violations") { list in
                    list.object {
                        $0.field("subject", quotaSubject)
                        $0.field("description", "more messages than the quota has")
                    }
                }
            }
        }
        if let errorInfo {
            details.object {
                $0.field("@type", "type.googleapis.com/google.rpc.ErrorInfo")
                $0.field("reason", errorInfo)
                $0.field("domain", "googleapis.com")
            }
        }
    }
}
