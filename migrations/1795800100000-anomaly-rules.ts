import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Alert rules that fire by findings. */
export class AnomalyRules1795800100000 implements MigrationInterface {
  readonly name = 'AnomalyRules1795800100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE alert_rules DROP CONSTRAINT ck_alert_rules_kind,
        ADD CONSTRAINT ck_alert_rules_kind CHECK (kind IN ('match', 'threshold', 'rate_of_change', 'absence', 'anomaly'))`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`DELETE FROM alert_rules WHERE kind = 'anomaly'`);
    await q.query(`
      ALTER TABLE alert_rules DROP CONSTRAINT ck_alert_rules_kind,
        ADD CONSTRAINT ck_alert_rules_kind CHECK (kind IN ('match', 'threshold', 'rate_of_change', 'absence'))`);
  }
}
