/// Something that a measurement needs could not be set up, or did not work.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
