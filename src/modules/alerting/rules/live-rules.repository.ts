import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ProjectId, ProjectScope } from '../../access/index.js';
import { EventLoopYield } from '../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type Condition, type FilterGroup, filterOf, storedCondition } from '../../events/conditions/index.js';
import type { NotificationTargets } from '../fan-out/index.js';
import type { Holds } from './machine/rule-machine.js';
import type { Severity } from './rule.entity.js';
import { recipientsOf, type RuleLinks, RuleLinksRepository } from './rule-links.repository.js';

/** An alert rule in the form that is evaluated. */
export interface LiveRule {
  readonly id: string;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly severity: Severity;
  readonly condition: Condition;
  readonly filter: FilterGroup;
  readonly groupBy: readonly string[];
  readonly holds: Holds;
  readonly cooldownSeconds: number;
  readonly revision: number;
  /** The rule ignores events that were accepted before this time. */
  readonly watchedSince: Date;
  readonly lastEvaluatedAt: Date | null;
  readonly targets: NotificationTargets;
  /** Whether the last evaluation of the rule failed. */
  readonly isFailing: boolean;
}

/** A rule, or the error of a rule that cannot be read, because the grammar no longer accepts its condition. */
type RuleRead = { readonly rule: LiveRule } | { readonly unreadable: RuleRow; readonly error: unknown };

/** The enabled rules of one kind in a project. Rules that cannot be read are listed apart and are not evaluated. */
export interface RulesOfEvents {
  readonly rules: LiveRule[];
  readonly unreadable: UnreadableRule[];
}

interface UnreadableRule {
  readonly id: string;
  readonly error: unknown;
}

export interface RuleRow {
  id: string;
  project_id: ProjectId;
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
  is_linked: boolean;
  is_failing: boolean;
}

export const RULE_COLUMNS = `r.id, r.project_id, r.name, r.severity, r.condition, r.group_by, r.for_seconds,
  r.keep_firing_seconds, r.cooldown_seconds, r.revision, r.watched_since, r.last_evaluated_at, r.is_linked, r.last_error IS NOT NULL AS is_failing`;

/** The cache holds at most this many parsed conditions and drops the least recently used one. */
const MAX_KEPT = 2_000;

/** Reads rules for their evaluation. */
@Injectable()
export class LiveRulesRepository {
  private readonly kept = new LRUCache<string, { readonly revision: number; readonly condition: Condition }>({
    max: MAX_KEPT,
  });

  constructor(
    private readonly database: Database,
    private readonly links: RuleLinksRepository,
  ) {}

  /**
   * Returns the enabled `match` rules of a project. With `areHeld`, their rows are locked, so that edits and deletions
   * wait until `tx` ends.
   */
  ofEvents(projectId: ProjectId, tx: Db, { areHeld } = { areHeld: true }): Promise<RulesOfEvents> {
    return this.ofKind('match', projectId, tx, areHeld);
  }

  /** Returns the enabled `anomaly` rules of a project, and locks their rows as {@link ofEvents} does. */
  ofFindings(projectId: ProjectId, tx: Db): Promise<RulesOfEvents> {
    return this.ofKind('anomaly', projectId, tx, true);
  }

  private async ofKind(
    kind: 'match' | 'anomaly',
    projectId: ProjectId,
    tx: Db,
    areHeld: boolean,
  ): Promise<RulesOfEvents> {
    const rows = await this.database.rows<RuleRow>(
      `SELECT ${RULE_COLUMNS} FROM alert_rules r JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL
       WHERE r.project_id = $1 AND r.is_enabled AND r.kind = $2 ORDER BY r.created_at, r.id
       ${areHeld ? 'FOR KEY SHARE OF r' : ''}`,
      [projectId, kind],
      tx,
    );
    const rules: LiveRule[] = [];
    const unreadable: UnreadableRule[] = [];
    for (const read of await this.read(projectId, rows, tx)) {
      if ('rule' in read) rules.push(read.rule);
      else unreadable.push({ id: read.unreadable.id, error: read.error });
    }
    return { rules, unreadable };
  }

  /** @throws StoredFilterRefused when the grammar no longer accepts the condition of the rule */
  async find({ projectId }: Pick<ProjectScope, 'projectId'>, id: string, db: Db): Promise<LiveRule | null> {
    const rows = await this.database.rows<RuleRow>(
      `SELECT ${RULE_COLUMNS} FROM alert_rules r WHERE r.project_id = $1 AND r.id = $2`,
      [projectId, id],
      db,
    );
    const [read] = await this.read(projectId, rows, db);
    if (read === undefined) return null;
    if ('rule' in read) return read.rule;
    throw read.error;
  }

  /** @param rows rows of rules, all of which belong to the project */
  async read(projectId: ProjectId, rows: readonly RuleRow[], db?: Db): Promise<RuleRead[]> {
    if (rows.length === 0) return [];
    const links = await this.links.of(
      { projectId },
      rows.map(({ id }) => id),
      db,
    );
    const yielding = new EventLoopYield();
    const read: RuleRead[] = [];
    for (const row of rows) {
      read.push(this.readOne(row, links));
      await yielding.ifDue();
    }
    return read;
  }

  private readOne(row: RuleRow, links: (id: string) => RuleLinks): RuleRead {
    try {
      return { rule: liveRule(row, this.conditionOf(row), links(row.id)) };
    } catch (error) {
      return { unreadable: row, error };
    }
  }

  private conditionOf({ id, revision, condition }: RuleRow): Condition {
    const known = this.kept.get(id);
    if (known?.revision === revision) return known.condition;
    const read = storedCondition(condition);
    this.kept.set(id, { revision, condition: read });
    return read;
  }
}

function liveRule(row: RuleRow, condition: Condition, links: RuleLinks): LiveRule {
  const isProjectWide = recipientsOf(row.is_linked, links) === 'all_webhooks';
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
    targets: isProjectWide ? { kind: 'project' } : { kind: 'linked', ...links },
    isFailing: row.is_failing,
  };
}
