import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { monthlyEventLimit, RequestLimitsService } from '../../entitlement/quotas/index.js';
import { PLANS } from '../../tenancy/organizations/index.js';

export type Quota = 'events' | 'requests';

/** A threshold that an organization has reached in a month. */
export interface QuotaNotice {
  readonly organizationId: OrganizationId;
  /** The first day, YYYY-MM-DD. */
  readonly month: string;
  readonly quota: Quota;
  readonly threshold: 80 | 100;
  /** The use when the notice was made. `limit` is the limit at that time. */
  readonly used: number;
  readonly limit: number;
}

/** A notice whose event is missing in projects whose ids follow `after`. */
interface UnfinishedNotice extends QuotaNotice {
  readonly after: string;
}

/** A mail about a notice to one person. */
export interface DueMail extends QuotaNotice {
  readonly userId: string;
  readonly email: string;
  readonly organizationName: string;
}

const KEY = 'organization_id, month, quota, threshold';
const COLUMNS = `n.organization_id AS "organizationId", n.month::text, n.quota, n.threshold, n.used::float8 AS used,
  n.quota_limit::float8 AS "limit"`;
/** The time between two attempts to send a mail, in which no other process claims it. */
const MAIL_RETRY_INTERVAL = `interval '1 minute'`;
const MAIL_TTL = `interval '1 day'`;

/** Stores which thresholds were reached, and which of their events and mails are missing. */
@Injectable()
export class QuotaNoticesRepository {
  constructor(
    private readonly database: Database,
    private readonly requestLimits: RequestLimitsService,
  ) {}

  /**
   * Stores the notices of this month that are due, with a mail for each owner and admin. A threshold is due once a
   * month, and never after a higher one, so that a raised limit causes no further notice.
   * @returns the number of mails
   */
  make(): Promise<number> {
    return this.database.execute(
      `WITH /* every tenant: who has reached a threshold */ made AS (
         INSERT INTO quota_notices (${KEY}, used, quota_limit)
         SELECT o.id, m.month, q.quota, t.threshold, q.used, q.most
         FROM organization_months m
         JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
         JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS p (plan, events, requests) ON p.plan = o.plan
         CROSS JOIN LATERAL (VALUES
           ('events', m.events, coalesce(o.events_per_month_limit, p.events)),
           ('requests', m.requests, p.requests)) AS q (quota, used, most)
         CROSS JOIN LATERAL (SELECT CASE WHEN q.used >= q.most THEN 100 ELSE 80 END AS threshold) t
         WHERE m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
           AND q.most > 0 AND q.used * 5 >= q.most * 4
           AND NOT EXISTS (
             SELECT FROM quota_notices n WHERE n.organization_id = o.id AND n.month = m.month AND n.quota = q.quota
               AND n.threshold >= t.threshold)
         ON CONFLICT ON CONSTRAINT pk_quota_notices DO NOTHING
         RETURNING ${KEY})
       INSERT INTO quota_notice_mails (${KEY}, user_id)
       SELECT made.organization_id, made.month, made.quota, made.threshold, om.user_id
       FROM made JOIN organization_members om ON om.organization_id = made.organization_id
       WHERE om.role IN ('owner', 'admin')`,
      [PLANS, PLANS.map((plan) => monthlyEventLimit(plan, null)), PLANS.map((plan) => this.requestLimits.byPlan[plan])],
    );
  }

  /** Returns the notices whose event is missing in projects, the oldest first. */
  unfinished(): Promise<QuotaNotice[]> {
    return this.database.rows<QuotaNotice>(
      `SELECT /* every tenant: what is due */ ${COLUMNS} FROM quota_notices n
       WHERE NOT n.has_all_events ORDER BY n.created_at`,
    );
  }

  /** Locks a notice. Returns null when no event is missing, or another process has the lock. */
  async lock(notice: QuotaNotice, tx: Db): Promise<UnfinishedNotice | null> {
    const [row] = await this.database.rows<Pick<UnfinishedNotice, 'after'>>(
      `SELECT projects_after AS after FROM quota_notices
       WHERE organization_id = $1 AND month = $2 AND quota = $3 AND threshold = $4 AND NOT has_all_events
       FOR UPDATE SKIP LOCKED`,
      keyOf(notice),
      tx,
    );
    return row === undefined ? null : { ...notice, ...row };
  }

  /** Returns the next projects in which the event of a notice is missing, without archived ones. */
  async projectsOf({ organizationId, after }: UnfinishedNotice, limit: number, tx: Db): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      `SELECT id FROM projects
       WHERE organization_id = $1 AND id > $2 AND deleted_at IS NULL AND archived_at IS NULL ORDER BY id LIMIT $3`,
      [organizationId, after, limit],
      tx,
    );
    return rows.map(({ id }) => id);
  }

  /** Stores that the event of a notice is in all projects up to `after`. */
  async moveOn(notice: QuotaNotice, after: string, hasAllEvents: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE quota_notices SET projects_after = $5, has_all_events = $6
       WHERE organization_id = $1 AND month = $2 AND quota = $3 AND threshold = $4`,
      [...keyOf(notice), after, hasAllEvents],
      tx,
    );
  }

  /** Deletes mails to people who are no longer owner or admin, and old ones. @returns how many were deleted */
  deleteObsoleteMails(): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: mails that are sent no more */ FROM quota_notice_mails q
       USING quota_notices n
       WHERE n.organization_id = q.organization_id AND n.month = q.month AND n.quota = q.quota
         AND n.threshold = q.threshold AND (n.created_at < now() - ${MAIL_TTL} OR NOT EXISTS (
           SELECT FROM organization_members om
           WHERE om.organization_id = q.organization_id AND om.user_id = q.user_id AND om.role IN ('owner', 'admin')))`,
    );
  }

  /** Claims one mail for one minute. Mails that were never attempted come first. @returns null when no mail is due */
  async claimMail(): Promise<DueMail | null> {
    const [mail] = await this.database.rows<DueMail>(
      `WITH /* every tenant: what is due */ due AS (
         SELECT ${KEY}, user_id FROM quota_notice_mails
         WHERE attempted_at IS NULL OR attempted_at < now() - ${MAIL_RETRY_INTERVAL}
         ORDER BY attempted_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED),
       claimed AS (
         UPDATE quota_notice_mails q SET attempted_at = now() FROM due
         WHERE (q.organization_id, q.month, q.quota, q.threshold, q.user_id)
           = (due.organization_id, due.month, due.quota, due.threshold, due.user_id)
         RETURNING q.*)
       SELECT ${COLUMNS}, c.user_id AS "userId", u.email, o.name AS "organizationName"
       FROM claimed c JOIN quota_notices n USING (${KEY})
       JOIN users u ON u.id = c.user_id JOIN organizations o ON o.id = c.organization_id`,
    );
    return mail ?? null;
  }

  async deleteMail(mail: DueMail): Promise<void> {
    await this.database.execute(
      `DELETE FROM quota_notice_mails
       WHERE organization_id = $1 AND month = $2 AND quota = $3 AND threshold = $4 AND user_id = $5`,
      [...keyOf(mail), mail.userId],
    );
  }
}

function keyOf({ organizationId, month, quota, threshold }: QuotaNotice): [OrganizationId, string, Quota, number] {
  return [organizationId, month, quota, threshold];
}
