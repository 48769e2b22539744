interface Page {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}

/**
 * Returns where the next page begins, or undefined after the last one. A page may be short, and the list may shrink
 * meanwhile.
 */
export function offsetAfter({ items, total, offset }: Page): number | undefined {
  const next = offset + items.length;
  return items.length === 0 || next >= total ? undefined : next;
}

/** Returns the items of all pages that have been read. */
export function itemsOf<Item>(data: { readonly pages: readonly { readonly items: readonly Item[] }[] } | undefined) {
  return data?.pages.flatMap(({ items }) => items);
}

/** Rows per page of a list with page numbers. */
export const PAGE_ROWS = 50;

/** @param page as in the address, which leaves the first page out */
export function offsetOf(page: string | undefined): number {
  return (Number(page ?? 1) - 1) * PAGE_ROWS;
}
