import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rotation of API keys, keys that live in browsers, and the events of one source. */
export class KeysOfSources1795202000000 implements MigrationInterface {
  readonly name = 'KeysOfSources1795202000000';

  async up(q: QueryRunner): Promise<void> {
    // Null for the origins: not a browser-safe key.
    await q.query(`
      ALTER TABLE api_keys
        ADD COLUMN rotated_to uuid,
        ADD COLUMN allowed_origins text[],
        ADD COLUMN rate_limit_per_minute integer,
        ADD CONSTRAINT ck_api_keys_browser CHECK (
          CASE WHEN allowed_origins IS NULL THEN rate_limit_per_minute IS NULL
          ELSE cardinality(allowed_origins) > 0 AND rate_limit_per_minute BETWEEN 1 AND 10000
            AND scopes = ARRAY['events:write'] AND source_id IS NOT NULL END)`);
    await q.query(`
      ALTER TABLE event_sources
        ADD CONSTRAINT fk_event_sources_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL`);
    await q.query(`CREATE INDEX ix_event_sources_created_by ON event_sources (created_by)`);
    // Partial, so that events which came by no source pay nothing for it. Ascending, as events come: its pages fill better.
    await q.query(`
      CREATE INDEX ix_events_project_id_source_id_timestamp ON events (project_id, source_id, "timestamp", id)
      WHERE source_id IS NOT NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX ix_events_project_id_source_id_timestamp, ix_event_sources_created_by`);
    await q.query(`ALTER TABLE event_sources DROP CONSTRAINT fk_event_sources_created_by`);
    await q.query(`
      ALTER TABLE api_keys
        DROP CONSTRAINT ck_api_keys_browser,
        DROP COLUMN rate_limit_per_minute, DROP COLUMN allowed_origins, DROP COLUMN rotated_to`);
  }
}
