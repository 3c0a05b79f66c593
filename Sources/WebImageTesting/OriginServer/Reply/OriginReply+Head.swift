// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics

extension OriginReply {
    /// Adds a header field.
    ///
    /// A name may be repeated; name and value are written as they are.
    public func header(_ name: String, _ value: String) -> OriginReply {
        changed { $0.headers.append(name: name, value: value) }
    }

    /// Sets the `ETag`, and answers conditional requests by it: `If-None-Match` with 304, `If-Match` with 412.
    ///
    /// - Parameter tag: With its quotation marks, and with `W/` before them for a weak one.
    /// - Source: RFC 9110, section 13.
    public func entityTag(_ tag: String) -> OriginReply {
        changed { $0.headers["ETag"] = tag }
    }

    /// Sets `Last-Modified`, and answers conditional requests by it: `If-Modified-Since` with 304,
    /// `If-Unmodified-Since` with 412.
    ///
    /// - Parameter date: Cut down to whole seconds.
    /// - Source: RFC 9110, section 13.
    public func lastModified(_ date: Date) -> OriginReply {
        changed { $0.headers["Last-Modified"] = HTTPDate(date).description }
    }

    /// Serves a part of the body on request: 206 with `Content-Range`, 416 where there is nothing to serve, the whole
    /// body when `If-Range` does not match, or when several ranges are requested.
    ///
    /// - Source: RFC 9110, sections 13.1.5 and 14.
    public func servingRanges() -> OriginReply {
        changed { $0.conduct.servesRanges = true }
    }

    /// Closes the connection after the reply.
    ///
    /// - Parameter announced: Whether the head announces it by `Connection: close`. Otherwise the client assumes that
    ///   it can reuse the connection.
    public func closing(announced: Bool = true) -> OriginReply {
        changed { $0.conduct.closing = announced }
    }

    /// Holds the whole reply at a gate before its first byte.
    public func held(at gate: OriginGate) -> OriginReply {
        changed { $0.conduct.headGate = gate }
    }

    /// Waits before the first byte of the reply, after the gate where there is one.
    public func delayed(by duration: Duration) -> OriginReply {
        changed { $0.conduct.headDelay = duration }
    }

    /// Sends interim responses before the reply.
    ///
    /// - Parameters:
    ///   - status: Usually 102 or 103. Written as it is.
    ///   - headers: The fields of each.
    ///   - count: How many, one after the other.
    public func interim(status: Int = 103, headers: HTTPHeaders = [:], count: Int = 1) -> OriginReply {
        changed { $0.conduct.interims.append(.init(status: status, headers: headers, count: max(0, count))) }
    }

    func changed(_ change: (inout OriginReply) -> Void) -> OriginReply {
        var reply = self
        change(&reply)
        return reply
    }
}
