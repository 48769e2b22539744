import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ingest_unique_events` adds the duplicates that it finds to those that the record of an idempotency key has already.
 * A queued request knows some before it is stored, and they were lost.
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
const MERGED = "jsonb_build_object('duplicates', coalesce(k.answer -> 'duplicates', '{}') || d.own)";

async function replace(q: QueryRunner, before: string, after: string): Promise<void> {
  const [found] = (await q.query(
    `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname = 'ingest_unique_events'`,
  )) as { definition: string }[];
  const parts = found?.definition.split(before) ?? [];
  if (parts.length !== 2) throw new Error(`ingest_unique_events does not have "${before}" once`);
  await q.query(parts.join(after));
}
