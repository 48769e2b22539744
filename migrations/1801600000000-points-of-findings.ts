import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a bucket adds to a finding becomes a row, so that the evidence it opened with is never written again; nor are its
 * normal buckets counted from its points any more.
 */
export class PointsOfFindings1801600000000 implements MigrationInterface {
  readonly name = 'PointsOfFindings1801600000000';

  async up(q: QueryRunner): Promise<void> {
    // Of the buckets behind that in which the finding opened.
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
      ALTER TABLE sentinel_findings ADD COLUMN normal_buckets integer NOT NULL DEFAULT 0,
        ADD COLUMN contributors json NOT NULL DEFAULT '[]'`);
    await q.query(`
      UPDATE sentinel_findings f SET contributors = coalesce(evidence -> 'contributors', '[]'),
        evidence = (evidence::jsonb - 'contributors')::json,
        normal_buckets = (SELECT count(*) FROM json_array_elements(coalesce(f.evidence -> 'points', '[]')) AS p
                          WHERE (p.value ->> 'ts')::timestamptz > f.last_seen_at)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query(`
      UPDATE sentinel_findings f SET evidence = (f.evidence::jsonb || jsonb_build_object('contributors', f.contributors,
        'points', coalesce(f.evidence::jsonb -> 'points', '[]') || (
          SELECT coalesce(jsonb_agg(jsonb_build_object('ts', p.at, 'actual', p.actual, 'expected', p.expected, 'lower', p.lower,
            'upper', p.upper, 'is_anomalous', p.is_anomalous) ORDER BY p.at), '[]')
          FROM sentinel_points p WHERE p.finding_id = f.id)))::json`);
    await q.query('ALTER TABLE sentinel_findings DROP COLUMN normal_buckets, DROP COLUMN contributors');
    await q.query('DROP TABLE sentinel_points');
  }
}
