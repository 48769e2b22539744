import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Archiving and deletion of projects, their settings, saved views, and the selected project of a user. */
export class ProjectLifecycle1795191000000 implements MigrationInterface {
  readonly name = 'ProjectLifecycle1795191000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE projects
        ADD COLUMN archived_at timestamptz,
        ADD COLUMN deleted_at timestamptz,
        ADD COLUMN removal_checked_at timestamptz,
        ADD CONSTRAINT ck_projects_deleted CHECK (deleted_at IS NULL OR archived_at IS NOT NULL)`);
    // A deleted project gives its slug back while its rows are still being removed.
    await q.query(`ALTER TABLE projects DROP CONSTRAINT uq_projects_organization_id_slug`);
    await q.query(`
      CREATE UNIQUE INDEX uq_projects_organization_id_slug ON projects (organization_id, slug)
      WHERE deleted_at IS NULL`);
    await q.query(`CREATE INDEX ix_projects_deleted_at ON projects (deleted_at) WHERE deleted_at IS NOT NULL`);

    await q.query(`
      CREATE TABLE project_settings (
        project_id uuid NOT NULL,
        timezone text NOT NULL,
        default_range text NOT NULL,
        redacted_properties text[] NOT NULL,
        noise_endpoints text[] NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_project_settings PRIMARY KEY (project_id),
        CONSTRAINT fk_project_settings_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE
      )`);
    await q.query(`
      CREATE TABLE saved_views (
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        name text NOT NULL,
        filters jsonb NOT NULL,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_saved_views PRIMARY KEY (id),
        CONSTRAINT uq_saved_views_project_id_name UNIQUE (project_id, name),
        CONSTRAINT fk_saved_views_project_id FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
        CONSTRAINT fk_saved_views_created_by FOREIGN KEY (created_by) REFERENCES users (id) ON DELETE SET NULL
      )`);
    await q.query(`CREATE INDEX ix_saved_views_created_by ON saved_views (created_by)`);

    // Whoever removes the membership, in whatever transaction: nobody keeps a project selected that they left.
    await q.query(`
      ALTER TABLE users ADD CONSTRAINT fk_users_selected_project_id
        FOREIGN KEY (selected_project_id, id) REFERENCES project_members (project_id, user_id)
        ON DELETE SET NULL (selected_project_id)`);
    await q.query(`
      CREATE INDEX ix_users_selected_project_id ON users (selected_project_id) WHERE selected_project_id IS NOT NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_users_selected_project_id');
    await q.query('ALTER TABLE users DROP CONSTRAINT fk_users_selected_project_id');
    await q.query('DROP TABLE saved_views, project_settings');
    await q.query('DELETE FROM projects WHERE deleted_at IS NOT NULL');
    await q.query('DROP INDEX ix_projects_deleted_at, uq_projects_organization_id_slug');
    await q.query(`
      ALTER TABLE projects
        DROP CONSTRAINT ck_projects_deleted,
        DROP COLUMN removal_checked_at, DROP COLUMN deleted_at, DROP COLUMN archived_at,
        ADD CONSTRAINT uq_projects_organization_id_slug UNIQUE (organization_id, slug)`);
  }
}
