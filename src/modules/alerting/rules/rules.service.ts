import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectMemberScope, ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { type Condition, filterOf, PatternTrialsService } from '../../events/conditions/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../tenancy/projects/index.js';
import { AlertRaiser } from '../alerts/index.js';
import type { AlertRulePreviewResponse } from './backtest/backtest.dto.js';
import { BacktestService } from './backtest/backtest.service.js';
import { keepsState } from './machine/matched-series.js';
import { stateOfRule } from './machine/rule-machine.js';
import type { AlertRule } from './rule.entity.js';
import {
  alertRuleResponse,
  type AlertRuleResponse,
  type CreateAlertRuleRequest,
  type ReplaceRuleLinksRequest,
  type UpdateAlertRuleRequest,
} from './rules.dto.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import { AlertRuleNotFound, AlertRulesRepository, type RuleDefinition } from './rules.repository.js';
import { type RuleLinks, RuleLinksRepository } from './rule-links.repository.js';

/** Limits the rules that one event can trigger, and the length of the list, which has no pages. */
const MAX_RULES = 200;

export class TooManyAlertRules extends domainError(409, 'Project has too many alert rules') {}

@Injectable()
export class AlertRulesService {
  constructor(
    private readonly database: Database,
    private readonly rules: AlertRulesRepository,
    private readonly links: RuleLinksRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly alerts: AlertRaiser,
    private readonly patterns: PatternTrialsService,
    private readonly backtests: BacktestService,
  ) {}

  async list(scope: ProjectScope): Promise<AlertRuleResponse[]> {
    return this.answers(scope, await this.rules.list(scope));
  }

  async get(scope: ProjectScope, id: string): Promise<AlertRuleResponse> {
    return this.answer(scope, await this.rules.find(scope, id));
  }

  async create(scope: ProjectMemberScope, request: CreateAlertRuleRequest): Promise<AlertRuleResponse> {
    const id = newId();
    const definition = definitionOf(request);
    await this.tryPatterns(scope, request.condition);
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const links = linksOf(request);
      await this.links.check(scope, links, tx);
      if ((await this.rules.countOf(scope, tx)) >= MAX_RULES) throw new TooManyAlertRules();
      await this.rules.insert(scope, id, definition, tx);
      await this.links.replace(scope, id, links, tx);
      await this.rules.followEvents(scope, tx);
      await this.record(scope, 'alert_rule.created', id, { name: request.name, kind: definition.kind }, tx);
      return this.answer(scope, await this.rules.find(scope, id, tx), tx);
    });
  }

  /**
   * Runs a rule over past events and stores nothing. A definition that {@link create} refuses is refused here too. The
   * limit of rules does not apply.
   */
  async preview(scope: ProjectMemberScope, request: CreateAlertRuleRequest): Promise<AlertRulePreviewResponse> {
    definitionOf(request);
    await this.tryPatterns(scope, request.condition);
    await this.database.transaction((tx) => this.links.check(scope, linksOf(request), tx));
    return this.backtests.preview(scope, request);
  }

  /**
   * Updates a rule. A change of its kind, grouping or `is_enabled` starts the rule over: its series are deleted, and
   * open alert events stay open until people resolve them. New durations also apply to existing series.
   */
  async update(scope: ProjectMemberScope, id: string, request: UpdateAlertRuleRequest): Promise<AlertRuleResponse> {
    if (request.condition !== undefined) await this.tryPatterns(scope, request.condition);
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.locked(scope, id, tx);
      const after = checked(changed(before, request));
      if (request.destination_ids !== undefined || request.channel_ids !== undefined) {
        const known = (await this.links.of(scope, [id], tx))(id);
        const links = {
          destinationIds: request.destination_ids ?? known.destinationIds,
          channelIds: request.channel_ids ?? known.channelIds,
        };
        await this.links.check(scope, links, tx);
        await this.links.replace(scope, id, links, tx);
      }
      const restarted =
        after.kind !== before.kind ||
        after.isEnabled !== before.isEnabled ||
        !isDeepStrictEqual(after.groupBy, before.groupBy);
      const redefined = restarted || !isDeepStrictEqual(after.condition, before.condition);
      await this.rules.update(scope, id, after, { redefined, restarted }, tx);
      if (restarted) await this.rules.forgetSeries(scope, id, tx);
      else if (after.forSeconds !== before.forSeconds || after.keepFiringSeconds !== before.keepFiringSeconds) {
        await this.rules.holdSeries(scope, id, after, tx);
      }
      await this.rules.followEvents(scope, tx);
      await this.record(scope, 'alert_rule.updated', id, { name: after.name, fields: Object.keys(request) }, tx);
      return this.answer(scope, await this.rules.find(scope, id, tx), tx);
    });
  }

  async replaceLinks(
    scope: ProjectMemberScope,
    id: string,
    request: ReplaceRuleLinksRequest,
  ): Promise<AlertRuleResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const rule = await this.locked(scope, id, tx);
      const links = linksOf(request);
      await this.links.check(scope, links, tx);
      await this.links.replace(scope, id, links, tx);
      await this.rules.update(scope, id, rule, { redefined: false, restarted: false }, tx);
      await this.record(scope, 'alert_rule.destinations_replaced', id, { name: rule.name, ...request }, tx);
      return this.answer(scope, await this.rules.find(scope, id, tx), tx);
    });
  }

  /** Deletes a rule. Its alert events stay. */
  async remove(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const { name } = await this.locked(scope, id, tx);
      await this.rules.remove(scope, id, tx);
      await this.rules.followEvents(scope, tx);
      await this.record(scope, 'alert_rule.deleted', id, { name }, tx);
    });
  }

  private tryPatterns({ projectId }: ProjectScope, condition: Condition): Promise<void> {
    return this.patterns.check(projectId, filterOf(condition), ['body', 'condition']);
  }

  private async locked(scope: ProjectScope, id: string, tx: Db): Promise<AlertRule> {
    const rule = await this.rules.lock(scope, id, tx);
    if (rule === null) throw new AlertRuleNotFound();
    return rule;
  }

  private async answer(scope: ProjectScope, rule: AlertRule | null, db?: Db): Promise<AlertRuleResponse> {
    const [answer] = await this.answers(scope, rule === null ? [] : [rule], db);
    if (answer === undefined) throw new AlertRuleNotFound();
    return answer;
  }

  private async answers(scope: ProjectScope, rules: readonly AlertRule[], db?: Db): Promise<AlertRuleResponse[]> {
    const ids = rules.map(({ id }) => id);
    const links = await this.links.of(scope, ids, db);
    const states = await this.rules.statesOf(scope, ids, db);
    const alerting = await this.alerts.unresolved(scope, ids, db);
    return rules.map((rule) => {
      // A `match` rule without durations stores no series. It shows as firing while it has an unresolved alert event.
      const fires = rule.isEnabled && rule.kind === 'match' && !keepsState(rule) && alerting.has(rule.id);
      const isFailing = rule.isEnabled && rule.lastError !== null;
      const state = isFailing ? 'failing' : fires ? 'firing' : stateOfRule(states(rule.id));
      return alertRuleResponse(rule, links(rule.id), state);
    });
  }

  private async record(
    scope: ProjectMemberScope,
    action: string,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(projectAct(scope, action, detail, { type: 'alert_rule', id }), tx);
  }
}

function linksOf({ destination_ids, channel_ids }: ReplaceRuleLinksRequest): RuleLinks {
  return { destinationIds: destination_ids, channelIds: channel_ids };
}

function conditionOf(condition: Condition): Pick<RuleDefinition, 'kind' | 'condition'> {
  return { kind: condition.kind, condition };
}

/** @throws ValidationError as {@link checked} */
function definitionOf(request: CreateAlertRuleRequest): RuleDefinition {
  return checked({
    name: request.name,
    isEnabled: request.is_enabled,
    severity: request.severity,
    ...conditionOf(request.condition),
    groupBy: request.group_by,
    forSeconds: request.for_seconds,
    keepFiringSeconds: request.keep_firing_seconds,
    cooldownSeconds: request.cooldown_seconds,
    runbookUrl: request.runbook_url ?? null,
    notes: request.notes ?? null,
  });
}

/** @throws ValidationError when a rule of kind `anomaly` has `group_by` */
function checked(definition: RuleDefinition): RuleDefinition {
  const { kind, groupBy } = definition;
  if (kind === 'anomaly' && groupBy.length > 0) {
    throw brokenRule(['body', 'group_by'], 'findings group themselves', groupBy);
  }
  return definition;
}

function changed(rule: AlertRule, request: UpdateAlertRuleRequest): RuleDefinition {
  return {
    name: request.name ?? rule.name,
    isEnabled: request.is_enabled ?? rule.isEnabled,
    severity: request.severity ?? rule.severity,
    ...(request.condition ? conditionOf(request.condition) : { kind: rule.kind, condition: rule.condition }),
    groupBy: request.group_by ?? rule.groupBy,
    forSeconds: request.for_seconds ?? rule.forSeconds,
    keepFiringSeconds: request.keep_firing_seconds ?? rule.keepFiringSeconds,
    cooldownSeconds: request.cooldown_seconds ?? rule.cooldownSeconds,
    runbookUrl: request.runbook_url === undefined ? rule.runbookUrl : request.runbook_url,
    notes: request.notes === undefined ? rule.notes : request.notes,
  };
}
