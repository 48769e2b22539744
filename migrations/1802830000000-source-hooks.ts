import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Event Sources of type `webhook` have an address for webhooks, whose refusals belong to no API key. */
export class SourceHooks1802830000000 implements MigrationInterface {
  readonly name = 'SourceHooks1802830000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE source_hooks (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        address bytea NOT NULL,
        scheme text NOT NULL,
        secret text,
        header text,
        encoding text,
        prefix text,
        CONSTRAINT pk_source_hooks PRIMARY KEY (id),
        CONSTRAINT fk_source_hooks_id FOREIGN KEY (id) REFERENCES event_sources (id) ON DELETE CASCADE,
        CONSTRAINT fk_source_hooks_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT ck_source_hooks_address CHECK (octet_length(address) = 16),
        CONSTRAINT ck_source_hooks_scheme CHECK (scheme IN (
          'github', 'stripe', 'shopify', 'slack', 'standard-webhooks', 'gitlab', 'hmac-sha256', 'none')),
        CONSTRAINT ck_source_hooks_secret CHECK ((scheme = 'none') = (secret IS NULL)),
        CONSTRAINT ck_source_hooks_signature CHECK (
          (scheme = 'hmac-sha256') = (header IS NOT NULL AND encoding IS NOT NULL AND prefix IS NOT NULL)
          AND (encoding IS NULL OR encoding IN ('hex', 'base64')))
      )`);
    await q.query(`CREATE INDEX ix_source_hooks_project_id ON source_hooks (project_id)`);
    await q.query(`CREATE UNIQUE INDEX uq_source_hooks_address ON source_hooks (sha256(address))`);
    await q.query(`
      CREATE INDEX ix_source_hooks_secret_key ON source_hooks (split_part(secret, '.', 1), id) WHERE secret IS NOT NULL`);
    // Two random UUIDs have 244 random bits, of which the hash keeps 128.
    await q.query(`
      INSERT INTO source_hooks (id, project_id, address, scheme)
      SELECT id, project_id, substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) FOR 16), 'none'
      FROM event_sources WHERE type = 'webhook'`);

    await q.query(`ALTER TABLE ingestion_failures DROP CONSTRAINT pk_ingestion_failures`);
    await q.query(`
      ALTER TABLE ingestion_failures ALTER COLUMN api_key_id DROP NOT NULL,
        ADD CONSTRAINT ck_ingestion_failures_sender CHECK (api_key_id IS NOT NULL OR source_id IS NOT NULL)`);
    await q.query(`
      CREATE UNIQUE INDEX uq_ingestion_failures_sender ON ingestion_failures
        (coalesce(api_key_id, source_id), hour, reason_code, status_code)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX uq_ingestion_failures_sender`);
    await q.query(`DELETE FROM ingestion_failures WHERE api_key_id IS NULL`);
    await q.query(`
      ALTER TABLE ingestion_failures DROP CONSTRAINT ck_ingestion_failures_sender,
        ALTER COLUMN api_key_id SET NOT NULL,
        ADD CONSTRAINT pk_ingestion_failures PRIMARY KEY (api_key_id, hour, reason_code, status_code)`);
    await q.query(`DROP TABLE source_hooks`);
  }
}
