import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PRESET_NAMES } from './presets.js';
import { addressed, type BodyTemplate, renderTemplate, templateFaults, UnbuildableTemplate } from './template.js';
import { templateValues } from './template-values.js';
import { anyText } from '../../../../test/support/property-runs.js';

const SOURCE = {
  alertId: 'alert-1',
  message: 'Payments fail: card declined',
  severity: 'critical',
  status: 'open',
  rule: 'Payments fail',
  eventId: 'event-1',
  eventType: 'payment.failed',
  source: 'checkout',
  payload: { amount: 12, tags: ['a'], http: { route: '/pay' }, 'a.b': 'whole', group: 'of the event' },
  eventMessage: 'card declined' as string | null,
  eventAt: '2026-03-01T12:05:00.000Z' as string | null,
  group: { region: 'eu' } as object | null,
  createdAt: '2026-03-01T12:00:00.000Z',
  projectId: 'project-1',
  project: { name: 'Shop', slug: 'shop', organization: 'acme' },
  deliveryId: 'delivery-1',
  attempt: 2,
};
const PARAMETERS = { routing_key: 'routing-key', chat_id: '-100', api_key: 'key' };

const render = (template: BodyTemplate, source: Partial<typeof SOURCE> = {}): unknown =>
  renderTemplate(template, templateValues({ ...SOURCE, ...source }, 'https://app.example.com'), PARAMETERS).body;
const preset = (name: string, source: Partial<typeof SOURCE> = {}): unknown => render({ preset: name }, source);
const URL = 'https://app.example.com/console/o/acme/p/shop/alerts?alert=alert-1';

describe('a body with placeholders', () => {
  it('fills placeholders in texts, and gives a text that is one placeholder the type of its value', () => {
    const body = {
      text: '{{alert.rule}} is {{ alert.status }} ({{event.properties.amount}}, {{event.properties.missing}})',
      amount: '{{event.properties.amount}}',
      tags: '{{event.properties.tags}}',
      nested: ['{{event.properties.http.route}}', '{{event.properties.a.b}}', '{{event.properties.missing}}'],
      group: '{{alert.group}}',
      attempt: '{{delivery.attempt}}',
      url: '{{alert.url}}',
      plain: { number: 1, yes: true, nothing: null, open: '{{ no placeholder' },
    };
    expect(render({ body })).toEqual({
      text: 'Payments fail is open (12, )',
      amount: 12,
      tags: ['a'],
      nested: ['/pay', 'whole', null],
      group: { region: 'eu' },
      attempt: 2,
      url: URL,
      plain: { number: 1, yes: true, nothing: null, open: '{{ no placeholder' },
    });
  });

  it('has the message and the time of the event beside those of the alert', () => {
    const body = ['{{alert.message}}', '{{event.message}}', '{{alert.started_at}}', '{{event.timestamp}}'];
    expect(render({ body })).toEqual([SOURCE.message, SOURCE.eventMessage, SOURCE.createdAt, SOURCE.eventAt]);
    // A notification that an older version stored has neither.
    const old = render({ body }, { eventMessage: null, eventAt: null });
    expect(old).toEqual([SOURCE.message, null, SOURCE.createdAt, null]);
  });

  it('has no group for a rule that groups by nothing', () => {
    expect(['{}', 'null'].map((group) => render({ body: '{{alert.group}}' }, { group: JSON.parse(group) }))).toEqual([
      null,
      null,
    ]);
  });

  it('inserts values as they are: a value that looks like a placeholder or a pattern is text', () => {
    expect(render({ body: 'x {{alert.message}}' }, { message: `{{alert.id}} $& $' $1` })).toBe(
      `x {{alert.id}} $& $' $1`,
    );
  });

  it('reads no inherited member of the properties', () => {
    expect(render({ body: '{{event.properties.constructor.name}}' })).toBeNull();
    expect(render({ body: '{{event.properties.__proto__}}' })).toBeNull();
  });

  it('cuts long values, and stays below a limit however often a value is repeated', () => {
    const payload = { ...SOURCE.payload, amount: 1, long: 'x'.repeat(1_000_000), list: Array(100_000).fill('\u0000') };
    const body = {
      text: '{{event.properties.long}}',
      list: '{{event.properties.list}}',
      many: '{{event.properties.long}}'.repeat(500),
      controls: '{{event.properties.list}}'.repeat(100),
    };
    const rendered = render({ body }, { payload }) as typeof body;
    expect(rendered.text).toHaveLength(4_000);
    expect(rendered.text.endsWith('…')).toBe(true);
    expect(rendered.list).toHaveLength(4_000);
    expect(Buffer.byteLength(JSON.stringify(rendered))).toBeLessThan(150_000);
  });

  it('reads a value once, however often it is repeated', () => {
    let reads = 0;
    const payload = {
      ...SOURCE.payload,
      amount: 1,
      get large() {
        reads += 1;
        return { text: 'x'.repeat(16_000) };
      },
    };
    const body = ['{{event.properties.large}}'.repeat(300), ...Array<string>(300).fill('{{ event.properties.large }}')];
    render({ body }, { payload });
    expect(reads).toBe(1);
  });
});

describe('a template', () => {
  const faults = (template: Record<string, unknown>): unknown =>
    templateFaults(template, ['body', 'template']).map(({ loc, msg }) => [loc.slice(2).join('.'), msg.slice(13)]);

  it.each([
    [{ body: { a: ['{{alert.nothing}}'] } }, 'body.a.0', 'there is no placeholder alert.nothing'],
    [{ body: '{{event.properties.}}' }, 'body', 'there is no placeholder event.properties.'],
    [{ body: '{{constructor}}' }, 'body', 'there is no placeholder constructor'],
    [{ body: '{{secret:TOKEN}}' }, 'body', 'there is no placeholder secret:TOKEN'],
    [{ body: { '{{alert.id}}': 1 } }, 'body.{{alert.id}}', 'placeholders are allowed in values, not in names'],
    [{ body: 'x'.repeat(16_384) }, '', 'a template has at most 16384 bytes'],
    [{}, '', 'a template has either a preset or a body'],
    [{ preset: 'teams', body: {} }, '', 'a template has either a preset or a body'],
    [{ body: {}, parameters: {} }, 'parameters', 'only presets have parameters'],
    [{ preset: 'telegram' }, 'parameters.chat_id', 'the preset needs this parameter'],
    [
      { preset: 'telegram', parameters: { chat_id: 7 } },
      'parameters.chat_id',
      'a parameter is a text of 1 to 2048 characters',
    ],
    [
      { preset: 'pagerduty-events-v2', parameters: { routing_key: 'plain' } },
      'parameters.routing_key',
      'this parameter is a credential: write it as {{secret:NAME}}',
    ],
    [
      { preset: 'opsgenie', parameters: { api_key: '{{ secret }}' } },
      'parameters.api_key',
      'this parameter is a credential: write it as {{secret:NAME}}',
    ],
    [{ preset: 'teams', parameters: { x: 'y' } }, 'parameters.x', 'the preset has no such parameter'],
    [{ preset: 'teams', extra: 1 }, 'extra', 'a template has no such member'],
  ])('has for %j a fault at "%s"', (template, path, msg) => {
    expect(faults(template)).toEqual([[path, msg]]);
  });

  it.each([
    { preset: 'pagerduty-events-v2', parameters: { routing_key: '{{secret:ROUTING_KEY}}' } },
    { preset: 'opsgenie', parameters: { api_key: '{{secret:GENIE_KEY}}' } },
    { preset: 'opsgenie' },
    { preset: 'telegram', parameters: { chat_id: '-100' } },
  ])('has no fault as %j', (template) => {
    expect(faults(template)).toEqual([]);
  });

  it('lists all presets in the fault of an unknown one', () => {
    expect(faults({ preset: 'constructor' })).toEqual([
      ['preset', `preset should be one of ${PRESET_NAMES.join(', ')}`],
    ]);
  });
});

describe('a preset', () => {
  it('sends an Adaptive Card to Teams', () => {
    expect(preset('teams')).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: '[CRITICAL] Payments fail', color: 'Attention' },
              { type: 'TextBlock', text: 'card declined' },
              { type: 'FactSet', facts: expect.arrayContaining([{ title: 'Source', value: 'checkout' }]) },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open alert', url: URL }],
          },
        },
      ],
    });
  });

  it('sends an embed to Discord that mentions nobody', () => {
    expect(preset('discord')).toMatchObject({
      embeds: [{ title: '[CRITICAL] Payments fail', description: 'card declined', url: URL, color: 0xd7_3a_49 }],
      allowed_mentions: { parse: [] },
    });
  });

  it('sends a text to Google Chat in which nothing is a mention', () => {
    const { text } = preset('google-chat', { message: 'see <users/all>' }) as { text: string };
    expect(text).toMatch(/^\[CRITICAL\] Payments fail\nsee ‹users\/all›\nSeverity: critical\n/);
  });

  it('triggers and resolves the same incident of PagerDuty', () => {
    expect(preset('pagerduty-events-v2')).toMatchObject({
      routing_key: 'routing-key',
      event_action: 'trigger',
      dedup_key: 'alert-1',
      payload: {
        summary: '[CRITICAL] Payments fail: card declined',
        source: 'checkout',
        severity: 'critical',
        timestamp: SOURCE.createdAt,
        class: 'payment.failed',
      },
      links: [{ href: URL, text: 'Open alert' }],
    });
    expect(preset('pagerduty-events-v2', { status: 'resolved' })).toEqual({
      routing_key: 'routing-key',
      event_action: 'resolve',
      dedup_key: 'alert-1',
    });
  });

  it('creates an alert of Opsgenie by its alias, with the key in the header', () => {
    expect(preset('opsgenie')).toMatchObject({
      message: '[CRITICAL] Payments fail',
      description: `card declined\n${URL}`,
      alias: 'alert-1',
      priority: 'P1',
      source: 'checkout',
    });
    const values = templateValues(SOURCE, 'https://app.example.com');
    expect(renderTemplate({ preset: 'opsgenie' }, values, { api_key: 'key' }).headers).toEqual({
      Authorization: 'GenieKey key',
    });
    expect(renderTemplate({ preset: 'opsgenie' }, values, {}).headers).toEqual({});
    expect(() => renderTemplate({ preset: 'opsgenie' }, values, { api_key: 'key\n' })).toThrow(UnbuildableTemplate);
  });

  it('closes an alert of Opsgenie below the address that creates alerts, and updates it at any other address', () => {
    const sent = (status: string, url: string): ReturnType<typeof addressed> => {
      const values = templateValues({ ...SOURCE, status, alertId: 'a/1' }, 'https://app.example.com');
      return addressed(renderTemplate({ preset: 'opsgenie' }, values, {}), url);
    };
    const address = 'https://api.opsgenie.com/v2/alerts';
    expect(sent('resolved', address)).toEqual({
      url: `${address}/a%2F1/close?identifierType=alias`,
      body: { source: 'Operational Event Service', note: '[RESOLVED] Payments fail' },
    });
    expect(sent('resolved', `${address}?team=a`).url).toBe(`${address}/a%2F1/close?team=a&identifierType=alias`);
    const created = { alias: 'a/1', priority: 'P1' };
    expect(sent('open', address)).toEqual({ url: address, body: expect.objectContaining(created) });
    for (const relay of ['https://relay.example.com/', `${address}/`, 'https://relay.example.com/v2/alerts/x']) {
      const updated = { alias: 'a/1', message: '[RESOLVED] Payments fail', priority: 'P5' };
      expect(sent('resolved', relay)).toEqual({ url: relay, body: expect.objectContaining(updated) });
    }
  });

  it('sends a plain text to the chat of Telegram that mentions nobody', () => {
    const body = preset('telegram') as Record<string, unknown>;
    expect(body).toMatchObject({
      chat_id: '-100',
      text: expect.stringMatching(/^\[CRITICAL\] Payments fail\ncard declined\n/),
    });
    expect(body).not.toHaveProperty('parse_mode');
    const { text } = preset('telegram', { message: 'ask @ops', source: '@all' }) as { text: string };
    expect(text).toContain('ask @\u2060ops');
    expect(text).toContain('Source: @\u2060all');
  });

  it('sends an attachment to Mattermost in which nobody is mentioned', () => {
    const { attachments } = preset('mattermost', { message: '@all' }) as { attachments: Record<string, unknown>[] };
    expect(attachments).toEqual([
      expect.objectContaining({ title: '[CRITICAL] Payments fail', title_link: URL, text: '@\u2060all' }),
    ]);
  });

  it('says when an alert is resolved', () => {
    for (const name of PRESET_NAMES.filter((one) => one !== 'pagerduty-events-v2')) {
      expect(JSON.stringify(preset(name, { status: 'resolved' }))).toContain('[RESOLVED] Payments fail');
    }
  });

  it('keeps the limits of its service for any text', () => {
    const texts = fc.oneof(
      anyText({ maxLength: 3_000 }),
      fc.constantFrom('"\\\u0000\n', '\ud800', '\udc00x', '😀'.repeat(3_000), 'x'.repeat(1_000_000)),
    );
    const optional = fc.option(texts, { nil: null });
    fc.assert(
      fc.property(
        fc.tuple(optional, optional, optional, optional, optional),
        ([rule, message, source, type, severity]) => {
          const strange = { rule, message, source, eventType: type, severity } as object;
          for (const name of PRESET_NAMES) {
            const text = JSON.stringify(preset(name, strange));
            expect(Buffer.byteLength(text)).toBeLessThan(60_000);
            expect(text.isWellFormed()).toBe(true);
            expect(text).not.toMatch(/\\ud[89a-f]/);
          }
          const { embeds } = preset('discord', strange) as { embeds: { title: string; description: string }[] };
          expect(embeds[0]!.title.length).toBeLessThanOrEqual(256);
          expect(embeds[0]!.description.length).toBeLessThanOrEqual(4_096);
          const { payload } = preset('pagerduty-events-v2', strange) as { payload: { summary: string } };
          expect(payload.summary.length).toBeLessThanOrEqual(1_024);
          expect((preset('opsgenie', strange) as { message: string }).message.length).toBeLessThanOrEqual(130);
          expect((preset('telegram', strange) as { text: string }).text.length).toBeLessThanOrEqual(4_096);
        },
      ),
      { numRuns: 60 },
    );
  });
});
