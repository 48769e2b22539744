import type { WayIn } from '../sessions/index.js';

/**
 * Maximum number of entries per list. Older entries are left out, and the routes below /v1/account list all of them.
 */
const MOST_LISTED = 20;

/**
 * Builds the detail of the security event of a password reset, which the mail to the owner also shows. The detail lists
 * the factors and sign-in providers that are newer than the last sign-in with the old password (all of them when there
 * was none), those that the reset has removed, and those that are older and stay.
 */
export function reviewOf(waysIn: readonly WayIn[], lastSignIn: Date | null): Readonly<Record<string, unknown>> {
  const staying = waysIn.filter(({ removed }) => !removed);
  const isRecent = ({ addedAt }: WayIn): boolean => lastSignIn === null || addedAt >= lastSignIn;
  const lists = {
    factors_added: staying.filter(isRecent),
    passkeys_removed: waysIn.filter(({ removed }) => removed),
    factors_kept: staying.filter((way) => !isRecent(way)),
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, ways]) =>
      ways.length === 0 ? [] : [[name, ways.slice(-MOST_LISTED).map(inLog)]],
    ),
  );
}

function inLog({ kind, addedAt, detail }: WayIn): object {
  return { kind: kind.replaceAll(/[ -]/g, '_'), added_at: addedAt.toISOString(), ...detail };
}
