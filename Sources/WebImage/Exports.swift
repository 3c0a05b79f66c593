// SPDX-License-Identifier: MIT
public import HTTPTransport
@_exported public import ImageCoding

// Of the client, the names that belong to this package alone. `HTTPClient`, `HTTPRequest`, `HTTPResponse`,
// `HTTPHeaders` and `HTTPError` are names of other packages, too: a program that wants the client's imports
// `HTTPTransport`.
@_exported public import struct HTTPTransport.AddressPolicy
@_exported public import protocol HTTPTransport.HTTPLoaderMaking
@_exported public import protocol HTTPTransport.HTTPLoading
@_exported public import struct HTTPTransport.HTTPMetrics
@_exported public import enum HTTPTransport.IPAddress
@_exported public import struct HTTPTransport.IPNetwork
@_exported public import struct HTTPTransport.TLSPolicy

/// How a manager's client connects: `HTTPClient.Configuration` of the module `HTTPTransport`.
public typealias TransportConfiguration = HTTPClient.Configuration

/// What a transfer sends: `HTTPRequest` of the module `HTTPTransport`.
public typealias TransportRequest = HTTPRequest

/// What a transfer receives: `HTTPResponse` of the module `HTTPTransport`.
public typealias TransportResponse = HTTPResponse

/// The fields of a transfer: `HTTPHeaders` of the module `HTTPTransport`.
public typealias TransportHeaders = HTTPHeaders

/// Why a transfer has failed, as the cause of an ``ImageLoadError``: `HTTPError` of the module `HTTPTransport`.
public typealias TransportError = HTTPError
