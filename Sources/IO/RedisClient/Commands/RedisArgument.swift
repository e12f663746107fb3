/// A type that can be an argument of a command. Redis accepts arguments as bytes; numbers are written in decimal.
public protocol RedisArgumentConvertible {
    /// The approximate size of the argument in bytes, for reserving memory.
    var redisByteCountHint: Int { get }
    /// Appends exactly one argument to the command.
    func append(to builder: inout RedisCommandBuilder)
}

extension String: RedisArgumentConvertible {
    public var redisByteCountHint: Int { utf8.count }

    public func append(to builder: inout RedisCommandBuilder) {
        var text = self
        text.withUTF8 { builder.append(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Substring: RedisArgumentConvertible {
    public var redisByteCountHint: Int { utf8.count }

    public func append(to builder: inout RedisCommandBuilder) {
        var text = self
        text.withUTF8 { builder.append(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension [UInt8]: RedisArgumentConvertible {
    public var redisByteCountHint: Int { count }

    public func append(to builder: inout RedisCommandBuilder) {
        withUnsafeBytes { builder.append(bytes: $0) }
    }
}

extension ArraySlice<UInt8>: RedisArgumentConvertible {
    public var redisByteCountHint: Int { count }

    public func append(to builder: inout RedisCommandBuilder) {
        withUnsafeBytes { builder.append(bytes: $0) }
    }
}

extension Int: RedisArgumentConvertible {
    public var redisByteCountHint: Int { 20 }

    public func append(to builder: inout RedisCommandBuilder) {
        builder.append(number: Int64(self))
    }
}

extension Int64: RedisArgumentConvertible {
    public var redisByteCountHint: Int { 20 }

    public func append(to builder: inout RedisCommandBuilder) {
        builder.append(number: self)
    }
}

extension UInt64: RedisArgumentConvertible {
    public var redisByteCountHint: Int { 20 }

    public func append(to builder: inout RedisCommandBuilder) {
        String(self).append(to: &builder)
    }
}
