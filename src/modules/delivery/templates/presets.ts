import { withoutName } from '../sending/index.js';
import { cutText, textOf } from './bounded-text.js';
import type { TemplateValues } from './template-values.js';

/** The parameters of a template by name. */
export type Parameters = Readonly<Record<string, string>>;

export interface ParameterRule {
  readonly isRequired: boolean;
  /** A credential must refer to a secret, because everybody who reads the project sees the text of a parameter. */
  readonly isCredential: boolean;
}

interface Preset {
  readonly parameters: Readonly<Record<string, ParameterRule>>;
  bodyOf(values: TemplateValues, parameters: Parameters): unknown;
  headersOf?(parameters: Parameters): Record<string, string>;
  /** Returns the request that ends the alert, if it has another address than the body. */
  closingOf?(values: TemplateValues): ClosingRequest | null;
}

/** A request to an address below that of the channel or destination. */
export interface ClosingRequest {
  /**
   * The configured address must have a path that ends with this text. Otherwise the usual body is sent to that address.
   */
  readonly below: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * The presets: each body has the format that its service documents, and its texts are cut to the limits of that
 * service.
 */
export const PRESETS = {
  teams: { parameters: {}, bodyOf: teamsBody },
  discord: { parameters: {}, bodyOf: discordBody },
  'google-chat': { parameters: {}, bodyOf: googleChatBody },
  'pagerduty-events-v2': {
    parameters: { routing_key: { isRequired: true, isCredential: true } },
    bodyOf: pagerDutyBody,
  },
  opsgenie: {
    parameters: { api_key: { isRequired: false, isCredential: true } },
    bodyOf: opsgenieBody,
    headersOf: ({ api_key: key }): Record<string, string> =>
      key === undefined ? {} : { Authorization: `GenieKey ${key}` },
    closingOf: opsgenieClosing,
  },
  telegram: { parameters: { chat_id: { isRequired: true, isCredential: false } }, bodyOf: telegramBody },
  mattermost: { parameters: {}, bodyOf: mattermostBody },
} satisfies Readonly<Record<string, Preset>> as Readonly<Record<PresetName, Preset>>;

export const PRESET_NAMES = [
  'teams',
  'discord',
  'google-chat',
  'pagerduty-events-v2',
  'opsgenie',
  'telegram',
  'mattermost',
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export function isPreset(name: unknown): name is PresetName {
  return typeof name === 'string' && Object.hasOwn(PRESETS, name);
}

const MAX_FIELD_LENGTH = 1_000;

const isResolved = ({ alert }: TemplateValues): boolean => alert.status === 'resolved';

function titleOf({ alert, event }: TemplateValues, resolvedOrSeverity: string): string {
  const title = textOf(alert.rule ?? event.type ?? 'Alert', 200).replace(/\s+/g, ' ');
  return `[${resolvedOrSeverity.toUpperCase()}] ${title}`;
}

function headOf(values: TemplateValues): string {
  return titleOf(values, isResolved(values) ? 'resolved' : textOf(values.alert.severity ?? 'alert', 40));
}

/** Returns the message without the name of the rule, because the title shows the name. */
function messageOf({ alert: { message, rule } }: TemplateValues, maxLength: number): string {
  const isNamed = typeof message === 'string' && typeof rule === 'string';
  return textOf(isNamed ? withoutName(message, rule) : message, maxLength);
}

/** Returns the facts of an alert that have a value, each as name and value. */
function factsOf({ alert, event, project }: TemplateValues): { name: string; value: string }[] {
  const facts = [
    ['Severity', alert.severity],
    ['Status', alert.status],
    ['Event', event.type],
    ['Source', event.source],
    ['Project', project.name],
  ] as const;
  return facts.flatMap(([name, value]) => {
    const text = textOf(value, MAX_FIELD_LENGTH);
    return text === '' ? [] : [{ name, value: text }];
  });
}

/** An Adaptive Card, which the workflow "Post to a channel when a webhook request is received" posts. */
function teamsBody(values: TemplateValues): object {
  const { url } = values.alert;
  const facts = factsOf(values).map(({ name, value }) => ({ title: name, value }));
  const color = isResolved(values) ? 'Good' : 'Attention';
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', text: headOf(values), weight: 'Bolder', size: 'Medium', wrap: true, color },
            { type: 'TextBlock', text: messageOf(values, 4_000) || 'No message', wrap: true },
            { type: 'FactSet', facts },
          ],
          ...(url !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open alert', url }] }),
        },
      },
    ],
  };
}

/**
 * Builds an embed of Discord. The limits are 256 characters for the title, 4,096 for the description and 1,024 for the
 * value of a field. Nobody is mentioned.
 */
function discordBody(values: TemplateValues): object {
  const { url, started_at: startedAt } = values.alert;
  const fields = factsOf(values).map(({ name, value }) => ({ name, value, inline: true }));
  return {
    embeds: [
      {
        title: cutText(headOf(values), 256),
        description: messageOf(values, 3_000) || 'No message',
        color: isResolved(values) ? 0x2e_a0_43 : 0xd7_3a_49,
        fields: fields.map((field) => ({ ...field, value: cutText(field.value, 500) })),
        ...(url !== null && { url }),
        ...(startedAt !== null && { timestamp: startedAt }),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** A message of Google Chat has at most 32,000 bytes. */
function googleChatBody(values: TemplateValues): object {
  const lines = factsOf(values).map(({ name, value }) => `${name}: ${cutText(value, 300)}`);
  const parts = [headOf(values), messageOf(values, 4_000), ...lines, textOf(values.alert.url, 2_000)];
  return { text: googleText(parts.filter((part) => part !== '').join('\n')) };
}

/** Without angle brackets, no text becomes a mention such as `<users/all>` or a link. */
function googleText(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›');
}

const PAGERDUTY_SEVERITIES: Readonly<Record<string, string>> = {
  critical: 'critical',
  high: 'error',
  error: 'error',
  medium: 'warning',
  warning: 'warning',
  low: 'info',
  info: 'info',
};

/**
 * Builds an event of the Events API v2. The deduplication key is the id of the alert, so that a resolution closes the
 * incident. `summary` has at most 1,024 characters.
 */
function pagerDutyBody(values: TemplateValues, { routing_key: key }: Parameters): object {
  const { alert, event, project } = values;
  const dedupKey = textOf(alert.id ?? values.delivery.id, 255);
  if (isResolved(values)) return { routing_key: key, event_action: 'resolve', dedup_key: dedupKey };
  const message = messageOf(values, 700);
  return {
    routing_key: key,
    event_action: 'trigger',
    dedup_key: dedupKey,
    payload: {
      summary: cutText(message === '' ? headOf(values) : `${headOf(values)}: ${message}`, 1_024),
      source: textOf(event.source ?? project.name ?? project.id, 255) || project.id,
      severity: PAGERDUTY_SEVERITIES[textOf(alert.severity, 40)] ?? 'error',
      ...(alert.started_at !== null && { timestamp: alert.started_at }),
      ...(event.type !== null && { class: textOf(event.type, 255) }),
      custom_details: Object.fromEntries(factsOf(values).map(({ name, value }) => [name.toLowerCase(), value])),
    },
    client: 'Operational Event Service',
    ...(alert.url !== null && { client_url: alert.url, links: [{ href: alert.url, text: 'Open alert' }] }),
  };
}

const OPSGENIE_PRIORITIES: Readonly<Record<string, string>> = {
  critical: 'P1',
  high: 'P2',
  error: 'P2',
  medium: 'P3',
  warning: 'P3',
  low: 'P4',
  info: 'P5',
};

/**
 * Builds the body of Create Alert. The limits are 130 characters for `message`, 512 for `alias` and 15,000 for
 * `description`. A resolution has this body only where {@link opsgenieClosing} cannot be sent. It then becomes a
 * further alert with the same alias, whose message says that the alert is resolved.
 */
function opsgenieBody(values: TemplateValues): object {
  const { alert, event, delivery } = values;
  const link = alert.url === null ? '' : `\n${textOf(alert.url, 2_000)}`;
  return {
    message: cutText(headOf(values), 130),
    alias: textOf(alert.id ?? delivery.id, 512),
    description: `${messageOf(values, 4_000)}${link}`,
    details: Object.fromEntries(factsOf(values).map(({ name, value }) => [name.toLowerCase(), value])),
    source: textOf(event.source ?? 'Operational Event Service', 100),
    priority: isResolved(values) ? 'P5' : (OPSGENIE_PRIORITIES[textOf(alert.severity, 40)] ?? 'P3'),
  };
}

/** Builds the request Close Alert, whose path names the alert by its alias. */
function opsgenieClosing(values: TemplateValues): ClosingRequest | null {
  const { id } = values.alert;
  if (!isResolved(values) || id === null) return null;
  return {
    below: '/v2/alerts',
    path: `/${encodeURIComponent(id)}/close`,
    query: { identifierType: 'alias' },
    body: { source: 'Operational Event Service', note: cutText(headOf(values), 1_000) },
  };
}

/** A word joiner after `@` keeps a name from becoming a mention, which notifies people. */
function quiet(text: string): string {
  return text.replaceAll('@', '@\u2060');
}

/** `sendMessage` takes at most 4,096 characters. Without `parse_mode`, only names and links are marked up. */
function telegramBody(values: TemplateValues, { chat_id: chatId }: Parameters): object {
  const parts = [headOf(values), messageOf(values, 2_000)];
  const lines = factsOf(values).map(({ name, value }) => `${name}: ${cutText(value, 200)}`);
  const url = textOf(values.alert.url, 500);
  const text = [...[...parts, ...lines].map(quiet), url].filter((part) => part !== '').join('\n');
  return { chat_id: chatId, text: cutText(text, 4_096), link_preview_options: { is_disabled: true } };
}

/** An attachment of Mattermost. Nobody is mentioned. */
function mattermostBody(values: TemplateValues): object {
  const title = quiet(headOf(values));
  const { url } = values.alert;
  return {
    attachments: [
      {
        fallback: title,
        color: isResolved(values) ? '#2ea043' : '#d73a49',
        title,
        ...(url !== null && { title_link: url }),
        text: quiet(messageOf(values, 4_000)),
        fields: factsOf(values).map(({ name, value }) => ({ short: true, title: name, value: quiet(value) })),
      },
    ],
  };
}
