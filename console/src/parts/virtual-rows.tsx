import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

const ROW_PX = 34;
const HEAD_PX = 28;
/** Rows that PageUp and PageDown move. */
const PAGE_ROWS = 10;
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE_ROWS,
  PageUp: -PAGE_ROWS,
  Home: -Infinity,
  End: Infinity,
};

interface Props<Row extends { readonly id: string }> {
  readonly rows: readonly Row[];
  /** Names the rows for screen readers. */
  readonly label: string;
  /** The kind of row, a class of a style sheet that sets the columns. */
  readonly kind: 'event' | 'entry';
  readonly rowPx?: number;
  /** The columns of the grid, where they are not those of the kind. */
  readonly columns?: string;
  /** The least width of a row in pixels. A narrower list scrolls to the side. */
  readonly minWidth?: number;
  /** Names of columns, shown above the rows. */
  readonly head?: ReactNode;
  /** Rows are as high as their content. */
  readonly isWrapped?: boolean;
  /** The row that is open. */
  readonly shownId?: string | undefined;
  readonly onShow: (row: Row) => void;
  /** Called when the last rows are in view, so that more can be loaded. */
  readonly onEnd?: (() => void) | undefined;
  /** Renders the cells of one row. */
  readonly children: (row: Row) => ReactNode;
}

/** Renders only the rows in view, whatever their number. Arrow keys move between rows, Enter opens one. */
export function VirtualRows<Row extends { readonly id: string }>(props: Props<Row>) {
  const { rows, label, kind, onShow, onEnd, children } = props;
  const { rowPx = ROW_PX, columns, minWidth, head, isWrapped = false, shownId } = props;
  const headPx = head === undefined ? 0 : HEAD_PX;
  const grid = columns === undefined ? {} : { gridTemplateColumns: columns };
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    paddingStart: headPx,
    scrollPaddingStart: headPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, rowPx, isWrapped]);
  const shown = virtual.getVirtualItems();
  const isAtEnd = (shown.at(-1)?.index ?? -1) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd && rows.length > 0) onEnd?.();
  }, [isAtEnd, rows.length, onEnd]);

  // A row far away is rendered only a moment after the list has scrolled to it.
  const focusWanted = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (row === null || row === undefined) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useEffect(focusWanted);

  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const at = wanted.current ?? Number((event.target as HTMLElement).dataset.index);
    if (step === undefined || Number.isNaN(at)) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, at + step));
    virtual.scrollToIndex(next);
    wanted.current = next;
    focusWanted();
  };

  return (
    <div ref={scroller} className={`rows ${kind}`} role="group" aria-label={label} onKeyDown={move}>
      {head !== undefined && (
        <div className={`row-head ${kind}`} style={{ ...grid, minWidth, height: headPx }} aria-hidden="true">
          {head}
        </div>
      )}
      <div className="rows-inner" style={{ height: virtual.getTotalSize(), minWidth, marginTop: -headPx }}>
        {shown.map(({ key, index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <button
              key={String(key)}
              type="button"
              data-index={index}
              className={`row ${kind} numbers`}
              data-shown={row.id === shownId || undefined}
              data-wrapped={isWrapped || undefined}
              {...(isWrapped && { ref: virtual.measureElement })}
              style={{ ...grid, transform: `translateY(${start}px)`, ...(!isWrapped && { height: rowPx }) }}
              onClick={() => onShow(row)}
            >
              {children(row)}
            </button>
          );
        })}
      </div>
    </div>
  );
}
