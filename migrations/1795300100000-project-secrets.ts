import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets of projects. */
export class ProjectSecrets1795300100000 implements MigrationInterface {
  readonly name = 'ProjectSecrets1795300100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE project_secrets (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        name text NOT NULL,
        description text,
        value text NOT NULL,
        version integer NOT NULL,
        last_used_at timestamptz,
        created_by uuid,
        updated_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_project_secrets PRIMARY KEY (id),
        CONSTRAINT uq_project_secrets_project_id_name UNIQUE (project_id, name),
        CONSTRAINT fk_project_secrets_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_project_secrets_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL,
        CONSTRAINT fk_project_secrets_updated_by FOREIGN KEY (updated_by) REFERENCES users (id) ON DELETE SET NULL
      )`);
    await q.query('CREATE INDEX ix_project_secrets_created_by ON project_secrets (created_by)');
    await q.query('CREATE INDEX ix_project_secrets_updated_by ON project_secrets (updated_by)');
    // By the key that made it, as for every column of ciphertexts.
    await q.query(`CREATE INDEX ix_project_secrets_value_key ON project_secrets (split_part(value, '.', 1), id)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE project_secrets');
  }
}
