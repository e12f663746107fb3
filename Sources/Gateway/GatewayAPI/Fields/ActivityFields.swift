import LiveActivity

// Fields that most endpoints of customers read.
extension JSONValue {
    static let maximumTypeLength = 250

    /// Parses the type if it is present.
    func optionalActivityType() throws -> String? {
        try text("activity_type") == nil ? nil : activityType()
    }

    func activityType() throws -> String {
        guard let type = try text("activity_type") else {
            throw APIError(.activityTypeRequired, "activity_type is required: the name of the ActivityAttributes type")
        }
        guard type.utf8.count <= JSONValue.maximumTypeLength else {
            throw APIError.invalid("activity_type", "a string of at most \(JSONValue.maximumTypeLength) bytes")
        }
        // NUL marks registration tokens in the store.
        guard !type.utf8.contains(0) else { throw APIError.invalid("activity_type", "a string without NUL") }
        return type
    }

    /// Parses the attribute key of the activity's id, from `options`; nil for none.
    func activityIDAttribute() throws -> String? {
        let path = "options.activity_id_attribute"
        guard let key = try optionalString("activity_id_attribute", path: path) else { return nil }
        guard (1...128).contains(key.utf8.count) else { throw APIError.invalid(path, "a string of 1 to 128 bytes") }
        return key
    }

    /// Parses the label of an activity or a topic; nil for a blank one.
    func label() throws -> String? {
        guard let text = try text("name") else { return nil }
        guard text.unicodeScalars.count <= Activity.maximumLabelLength else {
            throw APIError.invalid("name", "a string of at most \(Activity.maximumLabelLength) characters")
        }
        return text
    }

    /// Parses the id; nil for text that is not an id of a gateway, which matches no activity.
    func activityID() throws -> UniqueID? {
        guard let text = try text("activity_id") else {
            throw APIError(.activityIDRequired, "activity_id is required: the id from the reply of register")
        }
        return UniqueID(text)
    }

    /// Returns the ids in their order without duplicates, and the number of invalid ones.
    func insiderIDs(maximum: Int) throws -> (ids: [String], unprocessed: Int) {
        if try optional("segment") != nil {
            throw APIError(.validationFailed, "segment is only for register, and only without insider_ids")
        }
        let array = try optionalArray("insider_ids")
        let count = array?.elementCount ?? 0
        guard let array, (1...maximum).contains(count) else {
            throw APIError(.insiderIDsOutOfRange, "insider_ids must have 1 to \(maximum) elements; it has \(count)")
        }
        var ids: [String] = []
        ids.reserveCapacity(count)
        var seen: Set<[UInt8]> = []
        seen.reserveCapacity(count)
        var unprocessed = 0
        for (index, element) in array.elements.enumerated() {
            guard let id = element.string else { throw APIError.invalid("insider_ids[\(index)]", element.asString) }
            if id.isEmpty || id.utf8.count > DeviceKey.maximumLength || DeviceKey.isDotSegment(id.utf8) {
                unprocessed += 1
            } else if seen.insert(Array(id.utf8)).inserted {
                ids.append(id)
            }
        }
        return (ids, unprocessed)
    }

    /// Parses the devices; nil for the whole segment.
    func targetDevices() throws -> [DeviceKey]? {
        guard let array = try optionalArray("target_devices"), array.elementCount > 0 else { return nil }
        var keys: [DeviceKey] = []
        keys.reserveCapacity(array.elementCount)
        for (index, element) in array.elements.enumerated() {
            guard element.kind == .object, let insiderID = try element.optional("insider_id")?.string,
                let udid = try element.optional("udid")?.string, !insiderID.isEmpty, !udid.isEmpty
            else {
                throw APIError(
                    .targetDevicesInvalid, "target_devices[\(index)] needs a non-empty insider_id and udid")
            }
            keys.append(DeviceKey(insiderID: insiderID, udid: udid))
        }
        return keys
    }
}
