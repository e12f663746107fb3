/// What can be an argument of a command. Redis takes every argument as bytes; numbers are written in decimal.
public protocol RedisArgumentConvertible {
    /// About how many bytes the argument will take; room is set aside by it.
    var redisByteCountHint: Int { get }
    /// Adds exactly one argument to the command.
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
