// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stands in for vapor 4, which exports names of async-http-client and swift-nio.
@_exported public import class AsyncHTTPClient.HTTPClient
@_exported public import struct NIOHTTP1.HTTPHeaders
