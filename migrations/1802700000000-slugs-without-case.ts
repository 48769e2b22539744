import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Slugs are unique without regard to case. They are ASCII, whose cases do not depend on the database's locale. */
export class SlugsWithoutCase1802700000000 implements MigrationInterface {
  readonly name = 'SlugsWithoutCase1802700000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`ALTER TABLE organizations DROP CONSTRAINT uq_organizations_slug`);
    await q.query(`DROP INDEX uq_projects_organization_id_slug`);
    // The oldest row keeps a slug that several have in different cases. Others get their id at the end, which nothing else has.
    await q.query(`
      UPDATE organizations SET slug = left(slug, 163) || '-' || id
      WHERE id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (PARTITION BY lower(slug COLLATE "C") ORDER BY created_at, id) AS n FROM organizations
        ) AS ranked WHERE n > 1)`);
    await q.query(`
      UPDATE projects SET slug = left(slug, 163) || '-' || id
      WHERE id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (
            PARTITION BY organization_id, lower(slug COLLATE "C") ORDER BY created_at, id) AS n
          FROM projects WHERE deleted_at IS NULL
        ) AS ranked WHERE n > 1)`);
    await q.query(`CREATE UNIQUE INDEX uq_organizations_slug ON organizations (lower(slug COLLATE "C"))`);
    await q.query(`
      CREATE UNIQUE INDEX uq_projects_organization_id_slug ON projects (organization_id, lower(slug COLLATE "C"))
        WHERE deleted_at IS NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DROP INDEX uq_organizations_slug, uq_projects_organization_id_slug`);
    await q.query(`ALTER TABLE organizations ADD CONSTRAINT uq_organizations_slug UNIQUE (slug)`);
    await q.query(`
      CREATE UNIQUE INDEX uq_projects_organization_id_slug ON projects (organization_id, slug) WHERE deleted_at IS NULL`);
  }
}
