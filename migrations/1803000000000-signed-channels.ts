import type { MigrationInterface, QueryRunner } from 'typeorm';

const SECRETS = ['signing_secret', 'previous_signing_secret'] as const;

/** Webhook channels have a secret that signs their requests. Channels that exist already get one by a rotation. */
export class SignedChannels1803000000000 implements MigrationInterface {
  readonly name = 'SignedChannels1803000000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE delivery_channels
        ADD COLUMN signing_secret text,
        ADD COLUMN previous_signing_secret text,
        ADD COLUMN previous_signing_secret_until timestamptz,
        ADD CONSTRAINT ck_delivery_channels_previous_signing_secret CHECK (
          (previous_signing_secret IS NULL) = (previous_signing_secret_until IS NULL)
          AND (previous_signing_secret IS NULL OR signing_secret IS NOT NULL))`);
    for (const column of SECRETS) {
      await q.query(`
        CREATE INDEX ix_delivery_channels_${column}_key ON delivery_channels (split_part(${column}, '.', 1), id)
        WHERE ${column} IS NOT NULL`);
    }
    await q.query(`
      CREATE INDEX ix_delivery_channels_previous_signing_secret_until ON delivery_channels (previous_signing_secret_until)
      WHERE previous_signing_secret IS NOT NULL`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE delivery_channels DROP COLUMN previous_signing_secret_until, DROP COLUMN previous_signing_secret,
        DROP COLUMN signing_secret`);
  }
}
