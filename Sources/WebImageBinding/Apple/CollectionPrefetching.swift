// SPDX-License-Identifier: MIT
#if canImport(UIKit) && !os(watchOS)
public import Foundation
public import UIKit

/// Connects a prefetcher of index paths to a collection view.
///
/// ```swift
/// collectionView.prefetchDataSource = prefetching
/// ```
@MainActor
public final class CollectionPrefetching: NSObject, UICollectionViewDataSourcePrefetching {
    private let prefetcher: ListPrefetcher<IndexPath>

    /// Creates a data source that passes index paths to `prefetcher`.
    public init(_ prefetcher: ListPrefetcher<IndexPath>) { self.prefetcher = prefetcher }

    /// Starts loading the pictures of items that are about to appear.
    public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        prefetcher.willAppear(indexPaths)
    }

    /// Cancels the loads of items that will not appear after all.
    public func collectionView(
        _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
        prefetcher.willNotAppear(indexPaths)
    }
}
#endif
