import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Points of evidence become rows, so that a bucket adds one to a finding and writes no other again. */
export class PointsOfFindings1801600000000 implements MigrationInterface {
  readonly name = 'PointsOfFindings1801600000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE sentinel_points (
        finding_id uuid NOT NULL,
        at timestamptz NOT NULL,
        project_id uuid NOT NULL,
        actual double precision,
        expected double precision,
        lower double precision,
        upper double precision,
        is_anomalous boolean NOT NULL,
        CONSTRAINT pk_sentinel_points PRIMARY KEY (finding_id, at),
        CONSTRAINT fk_sentinel_points_finding_id FOREIGN KEY (finding_id) REFERENCES sentinel_findings (id) ON DELETE CASCADE
      )`);
    await q.query(`
      INSERT INTO sentinel_points (finding_id, at, project_id, actual, expected, lower, upper, is_anomalous)
      SELECT DISTINCT ON (f.id, p.ts) f.id, p.ts, f.project_id, p.actual, p.expected, p.lower, p.upper, p.is_anomalous
      FROM sentinel_findings f CROSS JOIN LATERAL json_to_recordset(f.evidence -> 'points')
        AS p (ts timestamptz, actual double precision, expected double precision, lower double precision, upper double precision,
              is_anomalous boolean)`);
    await q.query('ALTER TABLE sentinel_findings ADD COLUMN normal_buckets integer NOT NULL DEFAULT 0');
    await q.query(`
      UPDATE sentinel_findings f SET evidence = (f.evidence::jsonb - 'points')::json,
        normal_buckets = (SELECT count(*) FROM sentinel_points p WHERE p.finding_id = f.id AND p.at > f.last_seen_at)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      UPDATE sentinel_findings f SET evidence = (f.evidence::jsonb || jsonb_build_object('points', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('ts', p.at, 'actual', p.actual, 'expected', p.expected, 'lower', p.lower,
          'upper', p.upper, 'is_anomalous', p.is_anomalous) ORDER BY p.at), '[]')
        FROM sentinel_points p WHERE p.finding_id = f.id)))::json`);
    await q.query('ALTER TABLE sentinel_findings DROP COLUMN normal_buckets');
    await q.query('DROP TABLE sentinel_points');
  }
}
