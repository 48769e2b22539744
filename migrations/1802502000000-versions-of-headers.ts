import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each rotation of a protected header makes another version of it. `key_version` is the id of the encryption key. */
export class VersionsOfHeaders1802502000000 implements MigrationInterface {
  readonly name = 'VersionsOfHeaders1802502000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE delivery_protected_headers ADD COLUMN version integer NOT NULL DEFAULT 1,
        ADD CONSTRAINT ck_delivery_protected_headers_version CHECK (version >= 1)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('ALTER TABLE delivery_protected_headers DROP COLUMN version');
  }
}
