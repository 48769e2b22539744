import type { Schemas } from '@operational-events/client';

export type LogRow = Schemas['LogRow'];

/** The oldest go when more come. */
const KEPT = 100_000;
/** So many are let go at once, since each letting go copies the rest. */
const SPARE = 10_000;

/**
 * Rows as they come in, the oldest first. Many come at once: whoever listens is told once a frame, and gets a new array then,
 * and only then.
 */
export class LogTail {
  private readonly rows: LogRow[] = [];
  private readonly listeners = new Set<() => void>();
  private shown: readonly LogRow[] = [];
  private frame: number | null = null;

  add(row: LogRow): void {
    this.rows.push(row);
    if (this.rows.length > KEPT + SPARE) this.rows.splice(0, this.rows.length - KEPT);
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
}
