import unittest

from documents import declarations


class DeclarationTests(unittest.TestCase):
    def undocumented(self, *lines):
        return [number for number, _ in declarations.undocumented("\n".join(lines))]

    def test_a_declaration_without_a_comment_is_found_and_one_with_it_is_not(self):
        self.assertEqual([1, 4], self.undocumented(
            "public struct A {", "    /// So many.", "    public private(set) var a = 1",
            "    public static func f() {}", "    let hidden = 1", "}"))
        self.assertEqual([3], self.undocumented("/// A.", "", "public struct A {}"))

    def test_attributes_stand_between_comment_and_declaration(self):
        self.assertEqual([], self.undocumented("/// A.", "@inlinable @inline(__always)", "public func f() {}"))
        self.assertEqual([2], self.undocumented("@inlinable", "public func f() {}"))
        self.assertEqual([1], self.undocumented("@inlinable public var count: Int { 1 }"))

    def test_what_its_form_says_needs_no_comment(self):
        self.assertEqual([], self.undocumented(
            "/// A.", "public struct A {", "    public init() {}", "    public init(", "        a: Int", "    ) {",
            "        self.a = a", "    }", "    public var description: String { text }", "}"))
        self.assertEqual([1], self.undocumented("    public init(a: Int) {", "        self.a = max(1, a)", "    }"))

    def test_what_a_protocol_asks_for_is_documented_there(self):
        self.assertEqual([5], self.undocumented(
            "extension A: P {", "    public func f() {}", "}", "extension A {", "    public func g() {}", "}"))

    def test_imports_and_extensions_declare_nothing(self):
        self.assertEqual([], self.undocumented("public import A", "public extension B {", "}"))
