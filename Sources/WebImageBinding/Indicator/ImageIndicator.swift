/// Shows that a picture is loading: a spinner, a bar, a line of text.
///
/// A binding starts it when a load has to wait and stops it when the load ends. A load that replaces a running one
/// takes the running indicator over, so it does not blink.
@MainActor
public protocol ImageIndicator: AnyObject {
    /// Appears.
    func start()
    /// Shows how much has arrived, 0 to 1; `nil` while the length is unknown. Does nothing by default.
    func update(_ fraction: Double?)
    /// Disappears.
    func stop()
}

extension ImageIndicator {
    /// Does nothing.
    public func update(_ fraction: Double?) {}
}
