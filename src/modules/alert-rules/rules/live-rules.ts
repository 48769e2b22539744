import { Injectable, Logger } from '@nestjs/common';
import type { ProjectScope } from '../../../platform/access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Condition, type FilterGroup, filterOf, storedCondition } from '../../alert-conditions/index.js';
import type { NoticeTargets } from '../../alert-destinations/index.js';
import type { Holds } from '../machine/rule-machine.js';
import type { Severity } from './alert-rule.entity.js';
import { type RuleLinks, RuleLinksRepository } from './rule-links.js';

/** A rule as it is evaluated. */
export interface LiveRule {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly severity: Severity;
  readonly condition: Condition;
  readonly filter: FilterGroup;
  readonly groupBy: readonly string[];
  readonly holds: Holds;
  readonly cooldownSeconds: number;
  readonly revision: number;
  /** Events that were accepted earlier are none of this rule's. */
  readonly watchedSince: Date;
  readonly lastEvaluatedAt: Date | null;
  readonly targets: NoticeTargets;
}

export interface RuleRow {
  id: string;
  project_id: string;
  name: string;
  severity: Severity;
  condition: unknown;
  group_by: string[];
  for_seconds: number;
  keep_firing_seconds: number;
  cooldown_seconds: number;
  revision: number;
  watched_since: Date;
  last_evaluated_at: Date | null;
}

export const RULE_COLUMNS = `r.id, r.project_id, r.name, r.severity, r.condition, r.group_by, r.for_seconds,
  r.keep_firing_seconds, r.cooldown_seconds, r.revision, r.watched_since, r.last_evaluated_at`;

/** Reads rules for their evaluation. */
@Injectable()
export class LiveRules {
  private readonly logger = new Logger('alert-rules');

  constructor(
    private readonly database: Database,
    private readonly links: RuleLinksRepository,
  ) {}

  /** The rules of a project that are woken by events. Held, they stay as they are until the transaction ends. */
  async ofEvents(projectId: string, tx: Db, { areHeld } = { areHeld: true }): Promise<LiveRule[]> {
    return this.read(
      await this.database.rows<RuleRow>(
        `SELECT ${RULE_COLUMNS} FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
         WHERE r.project_id = $1 AND r.is_enabled AND r.kind = 'match' ORDER BY r.created_at, r.id
         ${areHeld ? 'FOR KEY SHARE OF r' : ''}`,
        [projectId],
        tx,
      ),
      tx,
    );
  }

  async find({ projectId }: Pick<ProjectScope, 'projectId'>, id: string, db: Db): Promise<LiveRule | null> {
    const rows = await this.database.rows<RuleRow>(
      `SELECT ${RULE_COLUMNS} FROM alert_rules r WHERE r.project_id = $1 AND r.id = $2`,
      [projectId, id],
      db,
    );
    return (await this.read(rows, db))[0] ?? null;
  }

  /** Those that cannot be read, since the grammar is no longer what it was, are left out. */
  async read(rows: readonly RuleRow[], db?: Db): Promise<LiveRule[]> {
    if (rows.length === 0) return [];
    const links = await this.links.of(
      rows.map(({ id }) => id),
      db,
    );
    return rows.flatMap((row) => {
      try {
        return [liveRule(row, links(row.id))];
      } catch (error) {
        this.logger.error(`rule ${row.id} cannot be read: ${String(error)}`);
        return [];
      }
    });
  }
}

function liveRule(row: RuleRow, { destinationIds, channelIds }: RuleLinks): LiveRule {
  const condition = storedCondition(row.condition);
  const isLinked = destinationIds.length + channelIds.length > 0;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    severity: row.severity,
    condition,
    filter: filterOf(condition),
    groupBy: row.group_by,
    holds: { forSeconds: row.for_seconds, keepFiringSeconds: row.keep_firing_seconds },
    cooldownSeconds: row.cooldown_seconds,
    revision: row.revision,
    watchedSince: row.watched_since,
    lastEvaluatedAt: row.last_evaluated_at,
    targets: isLinked ? { kind: 'linked', destinationIds, channelIds } : { kind: 'project' },
  };
}
