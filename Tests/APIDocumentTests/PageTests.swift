import Testing

@testable import APIDocument

@Suite("The page")
struct PageTests {
    @Test("Nothing on the page is loaded from anywhere, and nothing on it runs")
    func selfContained() throws {
        let page = String(decoding: try APIDocument().page().html, as: UTF8.self)
        #expect(page.hasPrefix("<!DOCTYPE html><html"))
        for part in [
            "<script", "<iframe", "<img", "<object", "<embed", "@import", "url(", "src=", "javascript:", "<form",
        ] {
            #expect(!page.contains(part), "\(part)")
        }
        // Links lead to the page itself and to this gateway's files.
        var rest = page[...]
        var count = 0
        while let start = rest.firstRange(of: "href=\"") {
            rest = rest[start.upperBound...]
            let target = rest.prefix { $0 != "\"" }
            let isOwn =
                target.hasPrefix("#") || target.hasPrefix("/openapi.") || target.hasPrefix("data:image/svg+xml,")
            #expect(isOwn, "\(target)")
            count += 1
        }
        #expect(count > 50)
    }

    @Test("Every link within the page leads to something on it, and no name is there twice")
    func anchors() throws {
        let page = String(decoding: try APIDocument().page().html, as: UTF8.self)
        let names = texts(in: page, after: " id=\"")
        #expect(Set(names).count == names.count)
        for target in texts(in: page, after: "href=\"#") { #expect(names.contains(target), "\(target)") }
    }

    @Test("Whatever a document holds, it is text on the page and never markup")
    func escaping() throws {
        let evil = #"<script>alert(1)</script>"'&<img src=x onerror=y>`<b>`**<i>**"#
        let quoted = DocumentValue.string(evil).json()
        let document = try APIDocument(
            yaml: Array(
                """
                openapi: 3.1.0
                info: {title: \(quoted), description: \(quoted), version: \(quoted)}
                tags: [{name: \(quoted), description: \(quoted)}]
                paths:
                  \(quoted):
                    post:
                      operationId: \(quoted)
                      tags: [\(quoted)]
                      summary: \(quoted)
                      description: \(quoted)
                      security: [{Key: []}]
                      parameters:
                        - {name: \(quoted), in: query, description: \(quoted), schema: {type: \(quoted), pattern: \(quoted)}}
                      requestBody:
                        content:
                          \(quoted):
                            schema:
                              description: \(quoted)
                              required: [\(quoted)]
                              properties:
                                \(quoted): {type: string, description: \(quoted), default: \(quoted), enum: [\(quoted)]}
                            examples: {\(quoted): {summary: \(quoted), value: {\(quoted): \(quoted)}}}
                      responses:
                        \(quoted):
                          description: \(quoted)
                          headers: {\(quoted): {description: \(quoted)}}
                          content:
                            \(quoted): {schema: {type: object}, examples: {a: {value: \(quoted)}}}
                components:
                  securitySchemes: {Key: {name: \(quoted), description: \(quoted)}}
                  schemas: {ErrorCode: {x-codes: {\(quoted): {status: \(quoted), meaning: \(quoted)}}}}
                """.utf8))
        let page = String(decoding: document.page().html, as: UTF8.self)
        #expect(page.contains("&lt;script&gt;"))
        for part in ["<script", "<img", "<i>", "<b>", "\"'&<"] { #expect(!page.contains(part), "\(part)") }
        // Attributes end where they should: every tag's quotes are even.
        let body = page.drop(until: "</style>")
        for tag in body.split(separator: "<").compactMap({ $0.split(separator: ">").first }) {
            #expect(tag.count { $0 == "\"" } % 2 == 0, "\(tag)")
        }
    }

    @Test("A refusal leads to each of its codes, and the data of an event have their fields, each schema once")
    func codesAndKinds() throws {
        let document = try APIDocument(
            yaml: Array(
                """
                paths:
                  /a:
                    get:
                      responses:
                        "404": {content: {application/json: {schema: {$ref: "#/e"}, x-error-codes: [GONE, NEVER]}}}
                        "200": {content: {application/json: {schema: {properties: {data: {x-data: {
                          one: {$ref: "#/first"}, two: {$ref: "#/first"}, three: {$ref: "#/other"}}}}}}}}
                first: {description: Told by one, properties: {whole_sum: {type: integer}}}
                other: {description: Told by three, properties: {half_sum: {type: integer}}}
                """.utf8))
        let page = String(decoding: document.page().html, as: UTF8.self)
        for code in ["GONE", "NEVER"] {
            #expect(page.contains("<a href=\"#\(PageRenderer.codeID(code))\"><code>\(code)</code></a>"), "\(code)")
        }
        for text in ["<code>whole_sum</code>", "<code>half_sum</code>", "Told by one", "Told by three"] {
            #expect(page.split(separator: text, omittingEmptySubsequences: false).count == 2, "\(text)")
        }
    }

    @Test("The policy names the hash of the style that is on the page")
    func policy() throws {
        let page = try APIDocument().page()
        let html = String(decoding: page.html, as: UTF8.self)
        let style = try #require(texts(in: html, after: "<style>", until: "<").first)
        #expect(style == String(decoding: APIDocument.style, as: UTF8.self))
        #expect(page.contentSecurityPolicy.contains("style-src 'sha256-"))
    }

    @Test("Code, bold text, lists and paragraphs are marked up; what is not closed is text")
    func markup() {
        var html = HTML()
        html.markup("One `a<b` **bold `x`**\nline.\n\n- first\n- second\n\n2 * 3 `open **never")
        #expect(
            html.source == "<p>One <code>a&lt;b</code> <strong>bold <code>x</code></strong> line.</p>"
                + "<ul><li>first</li><li>second</li></ul><p>2 * 3 `open **never</p>")
    }

    private func texts(in page: String, after mark: String, until end: Character = "\"") -> [String] {
        var rest = page[...]
        var found: [String] = []
        while let start = rest.firstRange(of: mark) {
            rest = rest[start.upperBound...]
            found.append(String(rest.prefix { $0 != end }))
        }
        return found
    }
}

extension String {
    fileprivate func drop(until mark: String) -> Substring {
        firstRange(of: mark).map { self[$0.upperBound...] } ?? self[...]
    }
}
