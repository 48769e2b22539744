import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds objects by a part of their keys. The expression is that of the search, which folds ASCII letters and the two letters
 * beyond that are cases of them. A server may lack the extension or forbid it: the keys of a project are then read one by one.
 */
export class SearchOfObjects1795700000000 implements MigrationInterface {
  readonly name = 'SearchOfObjects1795700000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      DO $$
      BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE INDEX ix_stored_objects_key_text ON stored_objects
          USING gin (lower(replace(replace(key, U&'\\017F', 's'), U&'\\212A', 'k') COLLATE "C") gin_trgm_ops);
      EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN
        RAISE NOTICE 'objects are searched without an index: %', SQLERRM;
      END $$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX IF EXISTS ix_stored_objects_key_text');
  }
}
