import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps what providers send of a user, whether SCIM made the account, and users that a provider has deleted, so that
 * the provider can make them again. No version has written users before.
 */
export class DetailsOfScimUsers1803500300000 implements MigrationInterface {
  readonly name = 'DetailsOfScimUsers1803500300000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE scim_users
        ADD COLUMN user_name_key text NOT NULL,
        ADD COLUMN formatted_name text,
        ADD COLUMN emails jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN is_account_made boolean NOT NULL DEFAULT false,
        ADD COLUMN deleted_at timestamptz`);
    await q.query(
      `CREATE UNIQUE INDEX uq_scim_users_user_name_key ON scim_users (organization_id, user_name_key)
       WHERE deleted_at IS NULL`,
    );
    await q.query('CREATE INDEX ix_scim_users_created_at ON scim_users (organization_id, created_at, user_id)');
    await q.query('CREATE INDEX ix_scim_groups_created_at ON scim_groups (organization_id, created_at, id)');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP INDEX ix_scim_groups_created_at');
    await q.query('DROP INDEX ix_scim_users_created_at');
    await q.query('DROP INDEX uq_scim_users_user_name_key');
    await q.query(`
      ALTER TABLE scim_users DROP COLUMN user_name_key, DROP COLUMN formatted_name, DROP COLUMN emails,
        DROP COLUMN is_account_made, DROP COLUMN deleted_at`);
  }
}
