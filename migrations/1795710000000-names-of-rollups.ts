import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rollups that keep a method or an endpoint of more than 2,000 characters whole are made anew, with names that are cut. */
export class NamesOfRollups1795710000000 implements MigrationInterface {
  readonly name = 'NamesOfRollups1795710000000';

  async up(q: QueryRunner): Promise<void> {
    await this.removeLong(q);
  }

  /** Those that are cut would be other pairs than the ones of rows. */
  async down(q: QueryRunner): Promise<void> {
    await this.removeLong(q);
  }

  private async removeLong(q: QueryRunner): Promise<void> {
    for (const [rollups, pairs, time] of [
      ['hour_rollups', 'endpoint_hours', 'hour'],
      ['day_rollups', 'endpoint_days', 'day'],
    ] as const) {
      await q.query(`
        DELETE FROM ${rollups} WHERE (project_id, ${time}) IN (
          SELECT project_id, ${time} FROM ${pairs} WHERE length(endpoint) > 2000 OR length(method) > 2000)`);
    }
  }
}
