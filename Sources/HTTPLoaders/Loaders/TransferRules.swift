// SPDX-License-Identifier: MIT
public import HTTPTransport

/// Retries, resumed bodies and rates in one value: the loaders of this module in the order in which they belong.
///
/// ```swift
/// configuration.transferRules = TransferRules()
/// ```
///
/// From the outside in: a body that breaks off is resumed, each of its requests is tried again, an origin that does
/// nothing but fail is spared, and each attempt waits for its turn by the rates.
public struct TransferRules: HTTPLoaderMaking {
    /// When and how often a request is sent again; `nil` for never. The policy's own defaults by default.
    public var retries: RetryPolicy? = RetryPolicy()
    /// How often a body is continued while it is read; `nil` resumes none. 2 by default.
    public var maximumResumptions: Int? = 2
    /// Keeps the beginnings of bodies that broke off, for all loaders that these rules make.
    public var partialBodies = PartialBodyStore()
    /// The number of failures in a row after which an origin is spared for a while; `nil`, the default, for none.
    public var maximumFailureCount: Int?
    /// The limit of the requests to each host; none by default.
    public var rateOfHost: HTTPRateLimit?
    /// The limit of all requests together; none by default.
    public var rate: HTTPRateLimit?

    /// Creates rules with retries and resumed bodies.
    public init() {}

    /// The loader with these rules around it.
    public func loader(around loader: any HTTPLoading) -> any HTTPLoading {
        var loader = loader
        if rateOfHost != nil || rate != nil { loader = RateLimitingLoader(loader, perHost: rateOfHost, total: rate) }
        if let maximumFailureCount {
            loader = CircuitBreakingLoader(loader, maximumFailureCount: maximumFailureCount)
        }
        if let retries { loader = RetryingLoader(loader, policy: retries) }
        if let maximumResumptions {
            loader = ResumingLoader(loader, store: partialBodies, maximumResumptions: maximumResumptions)
        }
        return loader
    }
}
