/** The names of the faults that a test can inject. */
export const FAULT_NAMES = ['next-statement', 'next-commit', 'next-outbound-call'] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** Identifies the affected request: the X-Request-ID of a request, or the host and port of an outbound call. */
  readonly target: string;
  /** The fault affects only statements that contain this text. An empty text affects any statement. */
  readonly containing: string;
}

/** Beyond this number, the oldest faults are dropped. */
const MOST_FAULTS = 1_000;

/** The faults that tests have requested and that have not happened yet. Each happens once. */
export class Faults {
  private waiting: Fault[] = [];

  add(fault: Fault): void {
    this.waiting = [...this.waiting.slice(1 - MOST_FAULTS), fault];
  }

  /** Removes the first fault that applies. @returns whether there was one; the caller must then fail */
  take(name: FaultName, target: string | undefined, text = ''): boolean {
    const at = this.waiting.findIndex(
      (fault) => fault.name === name && fault.target === target && text.includes(fault.containing),
    );
    if (at >= 0) this.waiting.splice(at, 1);
    return at >= 0;
  }
}
