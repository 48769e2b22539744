import type { Schemas } from '@operational-events/client';

export type LogRow = Schemas['LogRow'];

/**
 * Limits of the rows that are kept, in rows and in characters of JSON, since bodies may be large. The oldest rows are
 * dropped.
 */
const KEPT_ROWS = 100_000;
const KEPT_CHARS = 64 * 1024 * 1024;
/** Rows are dropped only when a tenth more than the limit has come, since dropping copies the rest. */
const SPARE = 1.1;

/**
 * Rows as they arrive, oldest first. Many rows may arrive at once, so listeners are called once per frame. The array
 * changes only then.
 */
export class LogTail {
  private readonly rows: LogRow[] = [];
  /** The size of each row in characters of JSON; `size` is their sum. */
  private readonly sizes: number[] = [];
  private size = 0;
  private readonly listeners = new Set<() => void>();
  private shown: readonly LogRow[] = [];
  private frame: number | null = null;

  add(row: LogRow): void {
    const size = JSON.stringify(row).length;
    this.rows.push(row);
    this.sizes.push(size);
    this.size += size;
    if (this.rows.length > KEPT_ROWS * SPARE || this.size > KEPT_CHARS * SPARE) this.letGo();
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.shown = this.rows.slice();
      for (const listener of this.listeners) listener();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): readonly LogRow[] => this.shown;

  private letGo(): void {
    let gone = 0;
    // The newest row stays, however large it is.
    while (gone < this.rows.length - 1 && (this.rows.length - gone > KEPT_ROWS || this.size > KEPT_CHARS)) {
      this.size -= this.sizes[gone] ?? 0;
      gone += 1;
    }
    this.rows.splice(0, gone);
    this.sizes.splice(0, gone);
  }
}
