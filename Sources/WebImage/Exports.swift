@_exported public import HTTPTransport
@_exported public import ImageCoding
