import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notices about the quotas of a month. The primary keys decide that a notice is made once for each quota and threshold,
 * and that each person gets one mail. `projects_after` is the last project in which its event was stored.
 */
export class QuotaNotices1803100200000 implements MigrationInterface {
  readonly name = 'QuotaNotices1803100200000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      CREATE TABLE quota_notices (
        organization_id uuid NOT NULL,
        month date NOT NULL,
        quota text NOT NULL,
        threshold integer NOT NULL,
        used bigint NOT NULL,
        quota_limit bigint NOT NULL,
        projects_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
        has_all_events boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_quota_notices PRIMARY KEY (organization_id, month, quota, threshold),
        CONSTRAINT fk_quota_notices_organization_id FOREIGN KEY (organization_id)
          REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT ck_quota_notices_quota CHECK (quota IN ('events', 'requests')),
        CONSTRAINT ck_quota_notices_threshold CHECK (threshold IN (80, 100))
      )`);
    await q.query(
      `CREATE INDEX ix_quota_notices_has_all_events ON quota_notices (created_at) WHERE NOT has_all_events`,
    );
    await q.query(`
      CREATE TABLE quota_notice_mails (
        organization_id uuid NOT NULL,
        month date NOT NULL,
        quota text NOT NULL,
        threshold integer NOT NULL,
        user_id uuid NOT NULL,
        attempted_at timestamptz,
        CONSTRAINT pk_quota_notice_mails PRIMARY KEY (organization_id, month, quota, threshold, user_id),
        CONSTRAINT fk_quota_notice_mails_notice FOREIGN KEY (organization_id, month, quota, threshold)
          REFERENCES quota_notices (organization_id, month, quota, threshold) ON DELETE CASCADE,
        CONSTRAINT fk_quota_notice_mails_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
      )`);
    await q.query(`CREATE INDEX ix_quota_notice_mails_user_id ON quota_notice_mails (user_id)`);

    /*
     * Stores events of the service itself, one for each project. They are events like any other, for alert rules,
     * streams and counters, but no limit refuses them and no quota counts them: what ingest_events adds to the counters
     * of the month and of the day is taken back in the same transaction. The events have the requests 1 to n.
     */
    await q.query(`
      CREATE FUNCTION store_service_events(p_organization uuid, p_events ingested_event[]) RETURNS void
      LANGUAGE plpgsql AS $store$
      DECLARE
        v_day date := (now() AT TIME ZONE 'UTC')::date;
        v_count integer := cardinality(p_events);
        v_projects uuid[];
        v_stored uuid[];
        v_verdicts jsonb;
      BEGIN
        SELECT array_agg(e.project_id ORDER BY e.request) INTO v_projects FROM unnest(p_events) AS e;
        SELECT f.verdicts INTO v_verdicts
        FROM ingest_events(
          p_day => v_day, p_passing => '{}', p_plans => '{}', p_monthly => '{}', p_daily => '{}', p_requests => '{}',
          d_organization => array_fill(p_organization, ARRAY[v_count]), d_project => v_projects,
          d_source => array_fill(NULL::uuid, ARRAY[v_count]),
          r_day => ARRAY(SELECT generate_series(1, v_count)), r_key => array_fill(NULL::uuid, ARRAY[v_count]),
          r_events => array_fill(1, ARRAY[v_count]), r_accepted_at => array_fill(NULL::timestamptz, ARRAY[v_count]),
          k_request => '{}', k_key => '{}', k_hash => '{}', k_answer => '{}', p_events => p_events, p_metered => false
        ) AS f;
        -- Projects that were deleted in the meantime have a verdict.
        SELECT coalesce(array_agg(p.id), '{}') INTO v_stored
        FROM unnest(v_projects) WITH ORDINALITY AS p (id, request)
        WHERE NOT EXISTS (
          SELECT FROM jsonb_to_recordset(coalesce(v_verdicts, '[]')) AS v (request integer) WHERE v.request = p.request);
        UPDATE organization_months m SET events = m.events - cardinality(v_stored)
        WHERE m.organization_id = p_organization AND m.month = date_trunc('month', v_day::timestamp)::date;
        UPDATE source_days s SET events = s.events - 1
        WHERE s.project_id = ANY (v_stored) AND s.source_id IS NULL AND s.day = v_day;
        DELETE FROM source_days s
        WHERE s.project_id = ANY (v_stored) AND s.source_id IS NULL AND s.day = v_day AND s.events = 0;
      END $store$`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP FUNCTION store_service_events');
    await q.query('DROP TABLE quota_notice_mails, quota_notices');
  }
}
