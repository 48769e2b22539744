import type { Series } from '../machine/series.js';
import type { BacktestFiring } from './backtest.dto.js';
import type { BacktestLimits } from './backtest-limits.js';

/** The reason that a firing shows, and the values that the reason is based on. */
export interface Told {
  readonly reason: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Collects the firings of a back-test up to its limits. Open firings may still recover or take another occurrence. */
export class BacktestFirings {
  readonly all: BacktestFiring[] = [];
  private readonly open = new Map<string, BacktestFiring>();
  private bytes = 0;
  private full = false;

  constructor(private readonly limits: Pick<BacktestLimits, 'firings' | 'toldBytes'>) {}

  /** Whether there were more firings than are shown. */
  get areCut(): boolean {
    return this.full;
  }

  openOf({ fingerprint }: Series): BacktestFiring | undefined {
    return this.open.get(fingerprint);
  }

  /** @returns null when the limit of firings is reached */
  begin(at: number, { fingerprint, groupValues }: Series, eventId: string | null): BacktestFiring | null {
    this.open.delete(fingerprint);
    this.full ||= this.all.length >= this.limits.firings;
    if (this.full) return null;
    const firing: BacktestFiring = {
      at: new Date(at).toISOString(),
      until: null,
      group: groupValues,
      reason: '',
      values: {},
      event_id: eventId,
      occurrences: 1,
    };
    this.all.push(firing);
    this.open.set(fingerprint, firing);
    return firing;
  }

  /**
   * Adds the reason to a firing. Call it for firings in the order in which they began. When there was no time to find
   * the reason (`told` is null), or when the reasons become too large, this firing and all later ones are dropped.
   */
  tell(firing: BacktestFiring, told: Told | null): void {
    const at = this.all.indexOf(firing);
    if (at < 0) return;
    this.bytes += told === null ? 0 : Buffer.byteLength(JSON.stringify(told.values));
    if (told !== null && this.bytes <= this.limits.toldBytes) Object.assign(firing, told);
    else {
      this.full = true;
      this.all.length = at;
    }
  }

  recover({ fingerprint }: Series, at: number): void {
    const firing = this.open.get(fingerprint);
    if (firing !== undefined) firing.until = new Date(at).toISOString();
    this.open.delete(fingerprint);
  }
}
