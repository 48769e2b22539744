/** `skipped`: the part is not configured or cannot be checked now. Only `failed` makes the command fail. */
export type FindingState = 'ok' | 'warning' | 'failed' | 'skipped';

/** The result of one check of the doctor. The texts contain no secrets. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly message: string;
  /** Says what to do. */
  readonly advice?: string;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (message: string): Verdict => ({ state: 'ok', message });
export const skipped = (message: string): Verdict => ({ state: 'skipped', message });
export const warning = (message: string, advice: string): Verdict => ({ state: 'warning', message, advice });
export const failed = (message: string, advice: string): Verdict => ({ state: 'failed', message, advice });
