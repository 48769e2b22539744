import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  text,
  TextField,
  UrlField,
  uuid,
  UuidField,
  NameField,
} from '../../../platform/http/validation/index.js';
import {
  type Condition,
  ConditionField,
  GroupByField,
  STORED_CONDITION_DOCUMENT,
} from '../../events/conditions/index.js';
import { RULE_STATES } from './machine/rule-machine.js';
import { type AlertRule, SEVERITIES, type Severity } from './rule.entity.js';
import { RECIPIENTS, type Recipients, recipientsOf, type RuleLinks } from './rule-links.repository.js';

const CONDITION = 'What it watches for';
const EXAMPLE = {
  kind: 'match',
  all: [
    { field: 'event', op: 'eq', value: 'payment.failed' },
    { field: 'properties.amount', op: 'gte', value: 100 },
  ],
};
const MAX_LINKS = 20;
const SECONDS = { min: 0, max: 86_400 };
const FOR = 'How long the condition must hold before the rule fires';
const KEEP = 'How long the rule goes on firing after the condition was last seen to hold';
const COOLDOWN = 'One notice in so many seconds for each group, with the number of occurrences in it';
const GROUP_BY = 'Fields by whose values events make alerts of their own';
const DESTINATIONS =
  'Alert destinations that are told; with neither these nor channels every enabled webhook of the project';
const CHANNELS = 'Delivery channels that are told';
const RUNBOOK = 'Address of the instructions for people who handle its alerts';
const NOTES = 'Text for people who handle its alerts';
const runbook = { max: 2_048, optional: true, nullable: true, example: 'https://wiki.example.com/payments-fail' };
const notes = { max: 4_000, optional: true, nullable: true };

const NOTIFIES =
  'Every enabled webhook of the project; the destinations and channels that are linked; or nobody, since all that was linked has been deleted: link others, or set both lists to []';
const STATE =
  'Of all its groups, the one that needs attention most; `failing`: it could not be evaluated the last time, and `last_error` says why';

const SHOWN_STATES = [...RULE_STATES, 'failing'] as const;
type ShownState = (typeof SHOWN_STATES)[number];

const links = { max: MAX_LINKS, check: different };

function different(ids: string[]): string | undefined {
  return new Set(ids).size === ids.length ? undefined : 'each is named once';
}

export class CreateAlertRuleRequest {
  @UuidField({})
  project_id!: string;

  @NameField({ example: 'Large payment failed', description: 'Name of the rule, which its alerts tell' })
  name!: string;

  @BooleanField({ optional: true, default: true, description: 'False: it is switched off' })
  is_enabled!: boolean;

  @EnumField(SEVERITIES, { optional: true, default: 'warning', description: 'How bad it is' })
  severity!: Severity;

  @ConditionField({ description: CONDITION, example: EXAMPLE })
  condition!: Condition;

  @GroupByField({ optional: true, default: [], description: GROUP_BY })
  group_by!: string[];

  @IntField({ ...SECONDS, optional: true, default: 0, description: FOR })
  for_seconds!: number;

  @IntField({ ...SECONDS, optional: true, default: 0, description: KEEP })
  keep_firing_seconds!: number;

  @IntField({ ...SECONDS, optional: true, default: 300, description: COOLDOWN })
  cooldown_seconds!: number;

  @ListField(uuid(), { ...links, optional: true, default: [], description: DESTINATIONS })
  destination_ids!: string[];

  @ListField(uuid(), { ...links, optional: true, default: [], description: CHANNELS })
  channel_ids!: string[];

  @UrlField({ ...runbook, description: RUNBOOK })
  runbook_url?: string | null;

  @TextField({ ...notes, description: NOTES })
  notes?: string | null;

  @BooleanField({ optional: true, default: false, description: 'True: back-tests the rule and stores nothing' })
  preview!: boolean;

  @DateTimeField({ optional: true, description: 'Only of a preview. Left out: 24 hours before `to_ts`' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Only of a preview. Left out: now. At most 7 days after `from_ts`' })
  to_ts?: Date;
}

/** A field that is left out keeps its value. */
export class UpdateAlertRuleRequest {
  @NameField({ optional: true, description: 'Name of the rule, which its alerts tell' })
  name?: string;

  @BooleanField({ optional: true, description: 'False switches it off' })
  is_enabled?: boolean;

  @EnumField(SEVERITIES, { optional: true, description: 'How bad it is' })
  severity?: Severity;

  @ConditionField({ optional: true, description: 'Replaced whole', example: EXAMPLE })
  condition?: Condition;

  @GroupByField({ optional: true, description: GROUP_BY })
  group_by?: string[];

  @IntField({ ...SECONDS, optional: true, description: FOR })
  for_seconds?: number;

  @IntField({ ...SECONDS, optional: true, description: KEEP })
  keep_firing_seconds?: number;

  @IntField({ ...SECONDS, optional: true, description: COOLDOWN })
  cooldown_seconds?: number;

  @ListField(uuid(), { ...links, optional: true, description: `${DESTINATIONS}. Replaced whole` })
  destination_ids?: string[];

  @ListField(uuid(), { ...links, optional: true, description: `${CHANNELS}. Replaced whole` })
  channel_ids?: string[];

  @UrlField({ ...runbook, description: `${RUNBOOK}; null removes it` })
  runbook_url?: string | null;

  @TextField({ ...notes, description: `${NOTES}; null removes them` })
  notes?: string | null;
}

/** Replaces both lists. A list that is left out becomes empty. */
export class ReplaceRuleLinksRequest {
  @ListField(uuid(), { ...links, optional: true, default: [], description: DESTINATIONS })
  destination_ids!: string[];

  @ListField(uuid(), { ...links, optional: true, default: [], description: CHANNELS })
  channel_ids!: string[];
}

export class AlertRuleResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Name of the rule, which its alerts tell' })
  name!: string;

  @BooleanField({ description: 'False: it is switched off' })
  is_enabled!: boolean;

  @EnumField(SEVERITIES, { description: 'How bad it is' })
  severity!: Severity;

  @ObjectField({ document: STORED_CONDITION_DOCUMENT, description: 'As it was set', example: EXAMPLE })
  condition!: Record<string, unknown>;

  @ListField(text(), { description: GROUP_BY })
  group_by!: string[];

  @IntField({ ...SECONDS, description: 'How long the condition must hold before the rule fires' })
  for_seconds!: number;

  @IntField({ ...SECONDS, description: 'How long the rule goes on firing after the condition was last seen to hold' })
  keep_firing_seconds!: number;

  @IntField({ ...SECONDS, description: 'One notice in so many seconds for each group' })
  cooldown_seconds!: number;

  @ListField(uuid(), { description: DESTINATIONS })
  destination_ids!: string[];

  @ListField(uuid(), { description: CHANNELS })
  channel_ids!: string[];

  @EnumField(RECIPIENTS, { description: NOTIFIES })
  notifies!: Recipients;

  @TextField({ nullable: true, description: RUNBOOK })
  runbook_url!: string | null;

  @TextField({ nullable: true, description: NOTES })
  notes!: string | null;

  @EnumField(SHOWN_STATES, { description: STATE })
  state!: ShownState;

  @TextField({ nullable: true, description: 'Why the rule is failing; null when it is not' })
  last_error!: string | null;

  @DateTimeField({ nullable: true, description: 'When it failed last, to within a minute' })
  last_error_at!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it was last changed' })
  updated_at!: string;
}

export function alertRuleResponse(rule: AlertRule, linked: RuleLinks, state: ShownState): AlertRuleResponse {
  return {
    id: rule.id,
    project_id: rule.projectId,
    name: rule.name,
    is_enabled: rule.isEnabled,
    severity: rule.severity,
    condition: rule.condition as Record<string, unknown>,
    group_by: rule.groupBy,
    for_seconds: rule.forSeconds,
    keep_firing_seconds: rule.keepFiringSeconds,
    cooldown_seconds: rule.cooldownSeconds,
    destination_ids: [...linked.destinationIds],
    channel_ids: [...linked.channelIds],
    notifies: recipientsOf(rule.isLinked, linked),
    runbook_url: rule.runbookUrl,
    notes: rule.notes,
    state,
    last_error: rule.lastError,
    last_error_at: rule.lastErrorAt?.toISOString() ?? null,
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
  };
}
