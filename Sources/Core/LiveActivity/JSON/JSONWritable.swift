/// A type that `JSONWriter` can write as one value.
public protocol JSONWritable {
    /// Appends the value as JSON.
    func write(to output: inout [UInt8])
}

extension String: JSONWritable {
    public func write(to output: inout [UInt8]) {
        JSONText.appendQuoted(self, to: &output)
    }
}

extension Bool: JSONWritable {
    public func write(to output: inout [UInt8]) {
        output += (self ? "true" : "false").utf8
    }
}

extension JSONWritable where Self: FixedWidthInteger {
    /// Appends the number in decimal.
    public func write(to output: inout [UInt8]) {
        output += description.utf8
    }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension Double: JSONWritable {
    /// Appends the shortest spelling that parses as the same number. Infinities and NaN become null.
    public func write(to output: inout [UInt8]) {
        output += (isFinite ? description : "null").utf8
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for element in self {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            element.write(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }
}
