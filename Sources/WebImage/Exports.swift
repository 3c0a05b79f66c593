// SPDX-License-Identifier: MIT
@_exported public import HTTPTransport
@_exported public import ImageCoding
