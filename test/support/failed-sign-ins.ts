import type { TestApp } from './app.js';

/** Stores this many failed sign-ins for an address, without computing the hash of each. */
export async function failedSignIns(app: TestApp, email: string, count: number): Promise<void> {
  await app.rows(
    `INSERT INTO password_attempts AS a (subject_hash, attempted_at, expires_at)
     SELECT sha256(convert_to('sign-in:' || $1, 'UTF8')), array_agg(clock_timestamp()), now() + interval '15 minutes'
     FROM generate_series(1, $2::int)
     ON CONFLICT (subject_hash) DO UPDATE SET attempted_at = a.attempted_at || excluded.attempted_at`,
    [email, count],
  );
}
