import LiveActivity
import Testing

/// Expects a refusal with this status and code, an error text and a request id.
///
/// - Parameter part: A part of the error text, usually the name of the wrong field.
func expectRefusal(
    _ answer: TestStage.Answer, _ status: Int, _ code: String, naming part: String? = nil,
    _ location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: location)
    #expect(answer.code == code, "\(answer.text)", sourceLocation: location)
    let error = answer["error"]?.string ?? ""
    #expect(!error.isEmpty, sourceLocation: location)
    if let part { #expect(error.contains(part), "\(answer.text)", sourceLocation: location) }
    #expect(answer.headers["x-request-id"] != nil, sourceLocation: location)
}
