// SPDX-License-Identifier: MIT
public import HTTPTransport

extension HTTPHeaders {
    /// The fields that are not for the next cache or proxy on the way: those of the connection, those that `Connection`
    /// names, and those of the last proxy. The order stays.
    ///
    /// - Complexity: O(number of fields).
    /// - Source: RFC 9110, section 7.6.1; RFC 9111, section 3.1.
    public var endToEnd: HTTPHeaders {
        without(connectionFields)
    }

    /// The fields that do not have these names, which are in lower case.
    func without(_ names: Set<String>) -> HTTPHeaders {
        HTTPHeaders(fields.filter { !names.contains(FieldText.lowercased($0.name.utf8)) })
    }

    /// The names of the others, in lower case.
    var connectionFields: Set<String> {
        var names: Set<String> = [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
            "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        ]
        for line in FieldText.lines(values(for: "Connection")) ?? [] {
            names.formUnion(FieldText.members(of: line).map(FieldText.lowercased))
        }
        return names
    }
}
