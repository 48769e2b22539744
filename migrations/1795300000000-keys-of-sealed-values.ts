import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every column of ciphertexts, which begin with the id of the key that made them. */
const COLUMNS = [
  ['totp_factors', 'secret'],
  ['delivery_protected_headers', 'value'],
  ['alert_destinations', 'secret'],
  ['alert_destinations', 'previous_secret'],
  ['alert_destinations', 'sealed_url'],
] as const;

/** What an older key has encrypted is found without looking at the rest. */
export class KeysOfSealedValues1795300000000 implements MigrationInterface {
  readonly name = 'KeysOfSealedValues1795300000000';

  async up(q: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS) {
      await q.query(`
        CREATE INDEX ix_${table}_${column}_key ON ${table} (split_part(${column}, '.', 1), id)
        WHERE ${column} IS NOT NULL`);
    }
  }

  async down(q: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS) await q.query(`DROP INDEX ix_${table}_${column}_key`);
  }
}
