extension JSONValue {
    /// The value of the named member, compared byte for byte after escapes are resolved: `"t\u0069tle"` is `title`. Nil
    /// if it is absent or the value is not an object. Takes time linear in the number of members.
    ///
    /// Throws `.duplicateMember` with the offset of the second name if the object has the member twice.
    public func member(_ name: String) throws(JSONSyntaxError) -> JSONValue? {
        let (found, again) = document.member(name, of: index)
        if let again {
            throw JSONSyntaxError(offset: Int(document.nodes[again].start), reason: .duplicateMember(name))
        }
        return found.map { JSONValue(document: document, index: $0 + 1) }
    }

    /// Returns several members' values, found in one pass, in the order of the names. Throws like `member(_:)`.
    public func members(_ names: [String]) throws(JSONSyntaxError) -> [JSONValue?] {
        var found = [JSONValue?](repeating: nil, count: names.count)
        let object = node
        guard object.kind == .object else { return found }
        var key = index + 1
        while key < Int(object.next) {
            let value = key + 1
            for (position, name) in names.enumerated() where document.name(at: key, is: name) {
                guard found[position] == nil else {
                    throw JSONSyntaxError(offset: Int(document.nodes[key].start), reason: .duplicateMember(name))
                }
                found[position] = JSONValue(document: document, index: value)
            }
            key = Int(document.nodes[value].next)
        }
        return found
    }
}

extension JSONValue {
    /// The names of an object's members in the order of the text, with escapes resolved and duplicates included. Empty
    /// for other kinds. A name for which `string` is nil is `\u{FFFD}`.
    public var memberNames: [String] {
        let object = node
        guard object.kind == .object else { return [] }
        var names: [String] = []
        var key = index + 1
        while key < Int(object.next) {
            names.append(JSONValue(document: document, index: key).string ?? "\u{FFFD}")
            key = Int(document.nodes[key + 1].next)
        }
        return names
    }
}

extension JSONValue {
    /// The first member name that is not in `names`, in the form of `memberNames`; nil for none and for other kinds.
    public func firstMember(notIn names: [String]) -> String? {
        firstMember { key in !names.contains { document.name(at: key, is: $0) } }
    }

    /// The first member name that is in `names`, also if duplicated; nil for none and for other kinds.
    public func firstMember(in names: [String]) -> String? {
        firstMember { key in names.contains { document.name(at: key, is: $0) } }
    }

    private func firstMember(where isMeant: (Int) -> Bool) -> String? {
        let object = node
        guard object.kind == .object else { return nil }
        var key = index + 1
        while key < Int(object.next) {
            if isMeant(key) { return JSONValue(document: document, index: key).string ?? "\u{FFFD}" }
            key = Int(document.nodes[key + 1].next)
        }
        return nil
    }
}

extension JSONDocument {
    /// The indices of the member's name and of its duplicate, if any.
    fileprivate func member(_ name: String, of object: Int) -> (first: Int?, again: Int?) {
        // Avoids copies of the arrays and bounds checks for each byte.
        var name = name
        return name.withUTF8 { name in
            nodes.withUnsafeBufferPointer { nodes in
                bytes.withUnsafeBufferPointer { bytes in
                    guard nodes[object].kind == .object else { return (nil, nil) }
                    let end = Int(nodes[object].next)
                    var found: Int?
                    var key = object + 1
                    while key < end {
                        if JSONDocument.name(nodes[key], in: bytes, is: name) {
                            guard found == nil else { return (found, key) }
                            found = key
                        }
                        key = Int(nodes[key + 1].next)
                    }
                    return (found, nil)
                }
            }
        }
    }

    private static func name(
        _ node: JSONNode, in bytes: UnsafeBufferPointer<UInt8>, is name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let (start, length) = (Int(node.start) + 1, Int(node.end - node.start) - 2)
        if node.hasEscapes {
            return JSONText.unescaped(Array(bytes[start..<(start + length)])[...]).elementsEqual(name)
        }
        // Most names differ in length.
        guard length == name.count else { return false }
        for position in 0..<length where bytes[start + position] != name[position] { return false }
        return true
    }

    /// Compares bytes, not characters: two spellings of one accented letter are two names.
    fileprivate func name(at index: Int, is name: String) -> Bool {
        let node = nodes[index]
        let range = Int(node.start) + 1..<Int(node.end) - 1
        if node.hasEscapes { return JSONText.unescaped(bytes[range]).elementsEqual(name.utf8) }
        guard range.count == name.utf8.count else { return false }
        // Avoids a copy of the array and bounds checks for each byte.
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                let start = range.lowerBound
                for position in 0..<name.count where bytes[start + position] != name[position] { return false }
                return true
            }
        }
    }
}
