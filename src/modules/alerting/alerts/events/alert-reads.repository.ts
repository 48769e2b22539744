import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { parseExact } from '../../../../platform/json/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { OPEN_WRITES, openWriteKeySql, openWritesSql } from '../../../../platform/database/open-writes.js';
import type { AlertStatus } from '../machine/alert-machine.js';
import { ALERT_COLUMNS, STATUS_NOW } from './alert-event-columns.js';
import type { AlertEvent, AlertSeverity } from './alert-event.entity.js';
import type { HeldAlert } from './alert-events.repository.js';

type Tenant = Pick<ProjectScope, 'projectId'>;
type Row = Omit<AlertEvent, 'payload'> & { readonly payload: string; readonly now: Date };

/** An alert event as it is read for a response: its payload is JSON text. */
export interface ShownAlert {
  readonly alert: Omit<AlertEvent, 'payload'> & { readonly payload: string };
  readonly now: Date;
  /** The size of payload and group values. */
  readonly bytes: number;
}

/** The first alert events of a result, as many as fit into a limit of bytes, but at least one. */
interface FittingAlerts {
  readonly items: ShownAlert[];
  /** How many alert events the result had before the limit of bytes. */
  readonly found: number;
}

/** Returns the size of all payloads and group values. */
export function bytesOf(items: readonly ShownAlert[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

type FittingRow = ShownAlert['alert'] & Pick<ShownAlert, 'now' | 'bytes'> & { readonly found: number };

/** A position in the order of changes. */
interface ChangeCursor {
  readonly timestamp: Date;
  readonly id: string;
}

interface AlertFilter {
  /** Alert events raised at `from` or later, and before `to`. */
  readonly from: Date;
  readonly to: Date;
  readonly status?: AlertStatus | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly alertRuleId?: string | undefined;
  readonly assigneeId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** A substring of the texts, case-insensitive. */
  readonly query?: string | undefined;
}

const SELECT = `SELECT ${ALERT_COLUMNS}, statement_timestamp() AS now FROM alert_events a`;
/** Sort orders, by the names of the columns in the result. */
const ORDERS = { raised: '"createdAt" DESC, id DESC', changed: '"changedAt", id' } as const;
const ABOUT_EVENT = '(a.event_id = ? OR a.last_event_id = ?)';

/** Reads alert events for people, without row locks. */
@Injectable()
export class AlertReadsRepository {
  constructor(private readonly database: Database) {}

  async find({ projectId }: Tenant, id: string, db?: Db): Promise<HeldAlert | null> {
    const [row] = await this.database.rows<Row>(`${SELECT} WHERE a.project_id = $1 AND a.id = $2`, [projectId, id], db);
    return row === undefined ? null : held(row);
  }

  /** Returns a page of alert events, newest first. */
  async list(
    { projectId }: Tenant,
    filter: AlertFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    mostBytes: number,
  ): Promise<FittingAlerts & { total: number }> {
    const parameters: unknown[] = [projectId, filter.from, filter.to];
    const conditions = ['a.created_at >= $2', 'a.created_at < $3'];
    const add = (condition: string, value: unknown): void => {
      if (value === undefined) return;
      parameters.push(value);
      conditions.push(condition.replaceAll('?', `$${parameters.length}`));
    };
    add(`${STATUS_NOW} = ?`, filter.status);
    add('a.severity = ?', filter.severity);
    add('a.alert_rule_id = ?', filter.alertRuleId);
    add('a.assignee_id = ?', filter.assigneeId);
    add(ABOUT_EVENT, filter.eventId);
    add('a.fingerprint = ?', filter.fingerprint);
    const text = `concat_ws(E'\\n', a.message, a.event_type, a.source, a.rule_name)`;
    add(`strpos(lower(${text}), lower(?)) > 0`, filter.query === '' ? undefined : filter.query);
    const where = conditions.join(' AND ');
    const [fitting, [counted]] = await Promise.all([
      this.fitting(
        `${where} ORDER BY a.created_at DESC, a.id DESC
         LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`,
        ORDERS.raised,
        [...parameters, limit, offset],
        mostBytes,
      ),
      this.database.rows<{ total: number }>(
        `SELECT count(*)::int AS total FROM alert_events a WHERE a.project_id = $1 AND ${where}`,
        parameters,
      ),
    ]);
    return { ...fitting, total: counted?.total ?? 0 };
  }

  /** Returns the alert events of one event, newest first. */
  ofEvent({ projectId }: Tenant, eventId: string, limit: number, mostBytes: number): Promise<FittingAlerts> {
    return this.fitting(
      `${ABOUT_EVENT.replaceAll('?', '$2')}
       ORDER BY a.created_at DESC, a.id DESC LIMIT $3`,
      ORDERS.raised,
      [projectId, eventId, limit],
      mostBytes,
    );
  }

  async countOpen({ projectId }: Tenant): Promise<number> {
    const [row] = await this.database.rows<{ total: number }>(
      `SELECT count(*)::int AS total FROM alert_events a
       WHERE a.project_id = $1 AND a.status <> 'resolved' AND ${STATUS_NOW} = 'open'`,
      [projectId],
    );
    return row?.total ?? 0;
  }

  /** Returns alert events in the order of their last changes, after `cursor` and before `until`. */
  async changedAfter(
    { projectId }: Tenant,
    cursor: ChangeCursor | null,
    until: Date,
    limit: number,
    mostBytes: number,
  ): Promise<FittingAlerts> {
    return this.fitting(
      `a.changed_at < $2
         ${cursor === null ? '' : 'AND (a.changed_at, a.id) > ($4, $5)'}
       ORDER BY a.changed_at, a.id LIMIT $3`,
      ORDERS.changed,
      [projectId, until, limit, ...(cursor === null ? [] : [cursor.timestamp, cursor.id])],
      mostBytes,
    );
  }

  /**
   * Returns a time before all changes that running transactions of the project may still commit. Transactions longer
   * than ten seconds are not waited for.
   */
  async settledUntil({ projectId }: Tenant): Promise<Date> {
    const [row] = await this.database.rows<{ until: Date }>(
      `SELECT least(now.at, w.since) - interval '0.5 seconds' AS until FROM (SELECT clock_timestamp() AS at) now
       LEFT JOIN (${openWritesSql(OPEN_WRITES.alertEvents)}) w ON w.key = ${openWriteKeySql('$1::uuid')}`,
      [projectId],
    );
    if (row === undefined) throw new Error('A left join gives a row');
    return row.until;
  }

  /**
   * Returns the position after which the last `count` alert events before `until` lie; null when none lies before them.
   */
  async cursorBefore({ projectId }: Tenant, until: Date, count: number): Promise<ChangeCursor | null> {
    const [cursor] = await this.database.rows<ChangeCursor>(
      `SELECT changed_at AS "timestamp", id FROM alert_events WHERE project_id = $1 AND changed_at < $2
       ORDER BY changed_at DESC, id DESC LIMIT 1 OFFSET $3`,
      [projectId, until, count],
    );
    return cursor ?? null;
  }

  /** @param selected SQL from the second condition (the first is the project, `$1`) to LIMIT, sorted by `order` */
  private async fitting(
    selected: string,
    order: (typeof ORDERS)[keyof typeof ORDERS],
    parameters: readonly unknown[],
    mostBytes: number,
  ): Promise<FittingAlerts> {
    const rows = await this.database.rows<FittingRow>(
      `SELECT * FROM (
         SELECT page.*, count(*) OVER ()::int AS found, row_number() OVER w AS nth, sum(page.bytes) OVER w AS "bytesSoFar"
         FROM (
           SELECT ${ALERT_COLUMNS}, statement_timestamp() AS now,
                  octet_length(a.payload::text) + octet_length(a.group_values::text) AS bytes
           FROM alert_events a WHERE a.project_id = $1 AND ${selected}) page
         WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) measured
       WHERE nth = 1 OR "bytesSoFar" <= $${parameters.length + 1} ORDER BY nth`,
      [...parameters, mostBytes],
    );
    const items = rows.map(({ now, bytes, ...alert }) => ({ alert, now, bytes }));
    return { items, found: rows[0]?.found ?? 0 };
  }
}

function held({ now, payload, ...alert }: Row): HeldAlert {
  return { alert: { ...alert, payload: parseExact(payload) as AlertEvent['payload'] }, now };
}
