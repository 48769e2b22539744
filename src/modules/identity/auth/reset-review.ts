import type { WayIn } from '../sessions/index.js';

/** So many ways in are listed; an account with more has its full lists below /v1/account. */
const MOST_LISTED = 20;

/**
 * What a reset tells the owner of the ways into the account besides the password, as the detail of its security event:
 * what is newer than the last sign-in with the old password (anything, when there was none), what it has removed, and
 * what stays besides.
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
