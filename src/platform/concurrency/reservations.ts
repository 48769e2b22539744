import { OverloadedError, KeyOverloadedError } from './overload.js';

export interface ReservationsOptions {
  readonly most: number;
  readonly mostOfShare: number;
}

/**
 * Reserves places in advance, so that only one of two callers gets the last place. A reserved place belongs to promised
 * work and is never passed to another caller.
 */
export class Reservations {
  private readonly ofShare = new Map<string, number>();
  private takenNow = 0;

  constructor(private readonly options: ReservationsOptions) {}

  get taken(): number {
    return this.takenNow;
  }

  /**
   * Reserves a place.
   * @returns the function that returns the place; further calls do nothing
   * @throws KeyOverloadedError when the share has its maximum of places
   * @throws OverloadedError when all places are taken
   */
  take(share: string): () => void {
    const own = this.ofShare.get(share) ?? 0;
    if (own >= this.options.mostOfShare) throw new KeyOverloadedError();
    if (this.takenNow >= this.options.most) throw new OverloadedError();
    this.ofShare.set(share, own + 1);
    this.takenNow += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.giveBack(share);
    };
  }

  private giveBack(share: string): void {
    this.takenNow -= 1;
    const left = (this.ofShare.get(share) ?? 0) - 1;
    if (left > 0) this.ofShare.set(share, left);
    else this.ofShare.delete(share);
  }
}
