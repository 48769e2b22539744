import type { WayIn } from '../sessions/index.js';

/** So many ways in are listed; an account with more has its full lists below /v1/account. */
const MOST_LISTED = 20;

/** What a reset tells the owner of the ways into the account besides the password. */
export interface ResetReview {
  readonly removed: readonly WayIn[];
  /** Added since the last sign-in with the old password, or at any time when there was none. */
  readonly recent: readonly WayIn[];
  readonly older: readonly WayIn[];
  /** Of the security event. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Sorts what a reset met by the last sign-in with the old password; null: there was none. */
export function reviewOf(waysIn: readonly WayIn[], lastSignIn: Date | null): ResetReview {
  const staying = waysIn.filter(({ removed }) => !removed);
  const isRecent = ({ addedAt }: WayIn): boolean => lastSignIn === null || addedAt >= lastSignIn;
  const [removed, recent] = [waysIn.filter((way) => way.removed), staying.filter(isRecent)];
  return {
    removed,
    recent,
    older: staying.filter((way) => !isRecent(way)),
    detail: {
      ...(recent.length > 0 && { factors_added: recent.slice(-MOST_LISTED).map(inLog) }),
      ...(removed.length > 0 && { passkeys_removed: removed.slice(-MOST_LISTED).map(inLog) }),
    },
  };
}

/** For the owner's mail: kinds and times alone, since names were chosen by whoever added them. */
export function linesAbout({ removed, recent, older }: ResetReview): string[] {
  return [
    ...paragraph('Added since the last sign-in with the old password. Remove what is not yours:', recent),
    ...paragraph('Removed, since they were added without a proof:', removed),
    ...paragraph('Older, and still good to sign in with or to confirm a sign-in:', older),
  ].slice(0, -1);
}

function paragraph(heading: string, waysIn: readonly WayIn[]): string[] {
  if (waysIn.length === 0) return [];
  const listed = waysIn.slice(-MOST_LISTED).map(({ kind, addedAt }) => `- ${kind}, added ${minuteOf(addedAt)}`);
  const more = waysIn.length - listed.length;
  return [heading, ...listed, ...(more > 0 ? [`- and ${more} before them`] : []), ''];
}

function inLog({ kind, addedAt, detail }: WayIn): object {
  return { kind: kind.replaceAll(/[ -]/g, '_'), added_at: addedAt.toISOString(), ...detail };
}

/** `2026-11-22 10:05 UTC`. */
function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
