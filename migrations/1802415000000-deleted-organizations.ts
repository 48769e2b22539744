import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations can be deleted. The row stays without an owner until the rows of its projects are removed. */
export class DeletedOrganizations1802415000000 implements MigrationInterface {
  readonly name = 'DeletedOrganizations1802415000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE organizations
        ADD COLUMN deleted_at timestamptz,
        ALTER COLUMN owner_id DROP NOT NULL,
        ADD CONSTRAINT ck_organizations_owner CHECK (owner_id IS NOT NULL OR deleted_at IS NOT NULL)`);
    await q.query(
      `CREATE INDEX ix_organizations_deleted_at ON organizations (deleted_at) WHERE deleted_at IS NOT NULL`,
    );
    await q.query(`
      ALTER TABLE projects
        ALTER COLUMN owner_id DROP NOT NULL,
        ADD CONSTRAINT ck_projects_owner CHECK (owner_id IS NOT NULL OR deleted_at IS NOT NULL)`);
  }

  /** Fails while a deleted organization is not removed yet. */
  async down(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE projects DROP CONSTRAINT ck_projects_owner, ALTER COLUMN owner_id SET NOT NULL`);
    await q.query(`DROP INDEX ix_organizations_deleted_at`);
    await q.query(`
      ALTER TABLE organizations
        DROP CONSTRAINT ck_organizations_owner, ALTER COLUMN owner_id SET NOT NULL, DROP COLUMN deleted_at`);
  }
}
