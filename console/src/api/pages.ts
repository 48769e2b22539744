interface Page {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}

/** Where the page after this one begins; undefined after the last. A page may end early, and a list may shrink meanwhile. */
export function offsetAfter({ items, total, offset }: Page): number | undefined {
  const next = offset + items.length;
  return items.length === 0 || next >= total ? undefined : next;
}

/** What has been read of a list that comes in pages. */
export function itemsOf<Item>(data: { readonly pages: readonly { readonly items: readonly Item[] }[] } | undefined) {
  return data?.pages.flatMap(({ items }) => items);
}

/** Of a list that people leaf through. */
export const PAGE_ROWS = 50;

/** @param page as the address has it: the first one is not told */
export function offsetOf(page: string | undefined): number {
  return (Number(page ?? 1) - 1) * PAGE_ROWS;
}
