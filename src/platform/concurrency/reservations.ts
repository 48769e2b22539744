import { OverloadedError, ShareExhaustedError } from './overload.js';

export interface ReservationsOptions {
  readonly most: number;
  readonly mostOfShare: number;
}

/**
 * Places that are taken beforehand, so that of two who see the last one only one has it. Nobody's place is given to another:
 * it is for what was promised.
 */
export class Reservations {
  private readonly ofShare = new Map<string, number>();
  private takenNow = 0;

  constructor(private readonly options: ReservationsOptions) {}

  get taken(): number {
    return this.takenNow;
  }

  /**
   * @returns what gives the place back; a second time it does nothing
   * @throws ShareExhaustedError when the share has as many as it may
   * @throws OverloadedError when all are taken
   */
  take(share: string): () => void {
    const own = this.ofShare.get(share) ?? 0;
    if (own >= this.options.mostOfShare) throw new ShareExhaustedError();
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
