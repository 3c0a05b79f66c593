#if canImport(UIKit) && !os(watchOS)
public import Foundation
public import UIKit

/// A prefetcher of index paths is a data source for prefetching as it stands.
///
/// ```swift
/// collectionView.prefetchDataSource = prefetching
/// ```
@MainActor
public final class CollectionPrefetching: NSObject, UICollectionViewDataSourcePrefetching {
    private let prefetcher: ListPrefetcher<IndexPath>

    /// Creates a data source that hands index paths to `prefetcher`.
    public init(_ prefetcher: ListPrefetcher<IndexPath>) { self.prefetcher = prefetcher }

    /// Starts loading the pictures of items that are about to appear.
    public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        prefetcher.willAppear(indexPaths)
    }

    /// Leaves the pictures of items that will not appear after all.
    public func collectionView(
        _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
        prefetcher.willNotAppear(indexPaths)
    }
}
#endif
