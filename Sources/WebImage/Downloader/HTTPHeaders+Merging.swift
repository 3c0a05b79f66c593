import HTTPTransport

extension HTTPHeaders {
    /// These fields, and those of `other` whose names do not occur here.
    func merged(over other: HTTPHeaders) -> HTTPHeaders {
        var merged = HTTPHeaders(other.filter { !contains(name: $0.name) })
        for field in self { merged.append(name: field.name, value: field.value) }
        return merged
    }
}

extension ImageRequest {
    /// The request with these fields before its own.
    func adding(_ validators: HTTPHeaders) -> ImageRequest {
        guard !validators.isEmpty else { return self }
        var request = self
        request.headers = validators.merged(over: headers)
        return request
    }
}
