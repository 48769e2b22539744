import type { ApiKeyRecord } from './api-key.entity.js';

export const KEY_STATUSES = ['active', 'rotating', 'revoked', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export type KeyLife = Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt' | 'rotatedTo'>;

/** The first that holds: taken back, past its end, replaced but still good, good. `active` and `rotating` keys work. */
export function keyStatus({ revokedAt, expiresAt, rotatedTo }: KeyLife, now: Date): KeyStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return rotatedTo !== null ? 'rotating' : 'active';
}
