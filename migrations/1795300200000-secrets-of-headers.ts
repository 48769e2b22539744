import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which protected headers use which secrets. */
export class SecretsOfHeaders1795300200000 implements MigrationInterface {
  readonly name = 'SecretsOfHeaders1795300200000';

  async up(q: QueryRunner): Promise<void> {
    // A secret in use stays. Those of a deleted project are let go of before they are removed.
    await q.query(`
      CREATE TABLE protected_header_secrets (
        header_id uuid NOT NULL,
        secret_id uuid NOT NULL,
        project_id uuid NOT NULL,
        CONSTRAINT pk_protected_header_secrets PRIMARY KEY (header_id, secret_id),
        CONSTRAINT fk_protected_header_secrets_header_id FOREIGN KEY (header_id)
          REFERENCES delivery_protected_headers (id) ON DELETE CASCADE,
        CONSTRAINT fk_protected_header_secrets_secret_id FOREIGN KEY (secret_id)
          REFERENCES project_secrets (id) ON DELETE RESTRICT
      )`);
    await q.query('CREATE INDEX ix_protected_header_secrets_secret_id ON protected_header_secrets (secret_id)');
    await q.query('CREATE INDEX ix_protected_header_secrets_project_id ON protected_header_secrets (project_id)');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE protected_header_secrets');
  }
}
