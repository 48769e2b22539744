import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ingest_unique_events` adds the duplicates that it finds to those that the record of an idempotency key has already,
 * because a queued request knows some before it is stored. A record of a request that a limit has cut counts the
 * admitted events: duplicates do not count.
 */
export class DuplicatesOfQueuedRequests1802840000000 implements MigrationInterface {
  readonly name = 'DuplicatesOfQueuedRequests1802840000000';

  async up(q: QueryRunner): Promise<void> {
    await replace(q, REPLACED, MERGED);
  }

  async down(q: QueryRunner): Promise<void> {
    await replace(q, MERGED, REPLACED);
  }
}

const REPLACED = "jsonb_build_object('duplicates', d.own)";
const MERGED = `jsonb_build_object('duplicates', coalesce(k.answer -> 'duplicates', '{}') || d.own)
                     || CASE WHEN k.answer ? 'admitted' THEN jsonb_build_object('admitted', (k.answer ->> 'admitted')::integer
                             - (SELECT count(*)::integer FROM jsonb_object_keys(d.own))) ELSE '{}' END`;

async function replace(q: QueryRunner, before: string, after: string): Promise<void> {
  const [found] = (await q.query(
    `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname = 'ingest_unique_events'`,
  )) as { definition: string }[];
  const parts = found?.definition.split(before) ?? [];
  if (parts.length !== 2) throw new Error(`ingest_unique_events does not have "${before}" once`);
  await q.query(parts.join(after));
}
