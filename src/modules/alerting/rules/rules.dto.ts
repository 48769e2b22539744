import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  text,
  TextField,
  uuid,
  UuidField,
  NameField,
} from '../../../platform/http/fields/index.js';
import {
  type Condition,
  ConditionField,
  EVENT_FIELDS,
  GroupByField,
  OPERATOR_NAMES,
} from '../../events/conditions/index.js';
import { RULE_STATES } from './machine/rule-machine.js';
import { type AlertRule, SEVERITIES, type Severity } from './rule.entity.js';
import { RECIPIENTS, type Recipients, recipientsOf, type RuleLinks } from './rule-links.repository.js';

const CONDITION =
  `\`kind\` and a filter of \`all\`, \`any\` and \`not\` that nest (8 levels, 100 parts). A comparison has
\`field\`, \`op\` (${OPERATOR_NAMES.map((name) => `\`${name}\``).join(', ')}) and
\`value\`. Fields: ${Object.keys(EVENT_FIELDS)
    .map((name) => `\`${name}\``)
    .join(', ')},
\`properties.<path>\`. Text never equals a number; a missing
field fits \`ne\` and \`exists\` false alone. \`matches\` takes regular expressions without back references and looking around, 20
in a filter and each of at most 200 characters and 256 places of characters once its repeats are written out. Fields and values have
at most 16,384 characters together.
\`match\` fires on each event that fits. \`threshold\`: \`window_seconds\`, \`aggregate\`, \`aggregate_field\`, \`op\`, \`value\`.
\`rate_of_change\`: \`window_seconds\`, \`compare_seconds\`, \`aggregate\`, \`aggregate_field\`, \`direction\`, \`percent\`. \`absence\`:
\`window_seconds\`. \`anomaly\` fires by findings of Sentinel: \`finding_kinds\` and \`min_severity\` (\`warning\`), both optional, and a filter over
\`kind\`, \`severity\`, \`series_type\`, \`series_value\`, \`metric\`, \`score\`, \`actual\`, \`expected\`; it takes no \`group_by\`. A window is 60 to 86,400 seconds long and compared with one up to 604,800 seconds before. Unknown members are refused.`.replaceAll(
    '\n',
    ' ',
  );
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

  @NameField({ example: 'Large payment failed' })
  name!: string;

  @BooleanField({ optional: true, default: true })
  is_enabled!: boolean;

  @EnumField(SEVERITIES, { optional: true, default: 'warning' })
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
}

/** What is left out stays as it is. */
export class UpdateAlertRuleRequest {
  @NameField({ optional: true })
  name?: string;

  @BooleanField({ optional: true })
  is_enabled?: boolean;

  @EnumField(SEVERITIES, { optional: true })
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
}

/** Both lists are replaced; one that is left out becomes empty. */
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

  @TextField({})
  name!: string;

  @BooleanField({})
  is_enabled!: boolean;

  @EnumField(SEVERITIES, {})
  severity!: Severity;

  @ObjectField({ example: EXAMPLE })
  condition!: Record<string, unknown>;

  @ListField(text(), { description: GROUP_BY })
  group_by!: string[];

  @IntField(SECONDS)
  for_seconds!: number;

  @IntField(SECONDS)
  keep_firing_seconds!: number;

  @IntField(SECONDS)
  cooldown_seconds!: number;

  @ListField(uuid(), { description: DESTINATIONS })
  destination_ids!: string[];

  @ListField(uuid(), { description: CHANNELS })
  channel_ids!: string[];

  @EnumField(RECIPIENTS, { description: NOTIFIES })
  notifies!: Recipients;

  @EnumField(SHOWN_STATES, { description: STATE })
  state!: ShownState;

  @TextField({ nullable: true, description: 'Why the rule is failing; null when it is not' })
  last_error!: string | null;

  @DateTimeField({ nullable: true, description: 'When it failed last, to within a minute' })
  last_error_at!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({})
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
    state,
    last_error: rule.lastError,
    last_error_at: rule.lastErrorAt?.toISOString() ?? null,
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
  };
}
