const PARAGRAPHS = {
  factors_added: 'Added since the last sign-in with the old password. Remove what is not yours:',
  passkeys_removed: 'Removed, since they were added without a proof:',
  factors_kept: 'Older, and still good to sign in with or to confirm a sign-in:',
} as const;

const KINDS: Readonly<Record<string, string>> = {
  passkey: 'passkey',
  authenticator_app: 'authenticator app',
  sign_in_provider: 'sign-in provider',
};

/**
 * Returns the lines of the mail about a password reset that list factors and sign-in providers. The lines hold only
 * kinds and times, since users choose the names.
 */
export function resetLines(detail: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(PARAGRAPHS).flatMap(([name, heading]) => {
    const listed = detail[name];
    return Array.isArray(listed) ? [heading, ...listed.map(lineOf), ''] : [];
  });
}

function lineOf(way: { readonly kind?: unknown; readonly added_at?: unknown }): string {
  return `- ${KINDS[String(way.kind)] ?? 'another way in'}, added ${minuteOf(new Date(String(way.added_at)))}`;
}

/** Formats a time as `2026-11-22 10:05 UTC`. */
function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
