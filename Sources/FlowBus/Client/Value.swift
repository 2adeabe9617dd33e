// What steps without a Swift type carry, `["movieId": .int64(23)]`: who uses this library has the type with it.
@_exported public import enum FlowCore.Value
