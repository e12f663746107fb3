/// The report of an update token for an activity that differs with each request.
struct SyncRequest: Sendable {
    /// The reference to the activity.
    enum Name {
        case id(String)
        /// The type alone, as an app reports after a relaunch.
        case type(String)
    }

    let head: RequestHead
    let population: Population

    /// - Parameter rotation: Selects the token, because a phone has one for each activity.
    func request(_ device: Int, _ name: Name, rotation: Int) -> [UInt8] {
        let token = population.text(device, .updateToken, rotation: rotation)
        let (insiderID, udid) = (population.insiderID(device), population.udid(device))
        let named =
            switch name {
            case .id(let id): "\"activity_id\":\"\(id)\""
            case .type(let type): "\"activity_type\":\"\(type)\""
            }
        var request = head.request(
            Array(#"{"insider_id":"\#(insiderID)","udid":"\#(udid)",\#(named),"token":"\#(token)"}"#.utf8))
        if let signer = head.signer {
            let signature = signer.sign(insiderID: insiderID.utf8, udid: udid.utf8)
            request.replaceSubrange(head.signatureAt..<head.signatureAt + signature.count, with: signature)
        }
        return request
    }
}
