@_exported public import WebImage
