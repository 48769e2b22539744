import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type DeliveryClient, deliveryOf, type Json, ruleMatch } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { redirectDestination } from '../../support/sql-builders/alerting.js';

const KEY = 'routing-key-0123456789abcdef';
/** The texts that presets send in a test. */
const TITLE = '[INFO] Payments fail';
const MESSAGE = 'Test notification: payments fail';
const bodyOf = (request: Received | undefined): Json => JSON.parse(request!.body);

describe('the template of a body', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;
  let secrets: SecretsClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    acme = await tenant();
    delivery = deliveryOf(acme);
    secrets = secretsOf(acme);
    await secrets.created('ROUTING_KEY', KEY);
    await secrets.created('GENIE_KEY', 'genie');
  });
  afterAll(() => receiver.close());

  const create = (template: unknown, by = delivery) =>
    by.create({ type: 'webhook', configuration: { url: `${receiver.url}/hook`, template } });
  const channelWith = async (template: object): Promise<string> => {
    const { status, body } = await create(template);
    expect(status).toBe(201);
    return body.id as string;
  };
  const destinationWith = (template: unknown, more: object = {}) =>
    api.as(acme.owner).post('/v1/alert-destinations', {
      project_id: acme.projectId,
      type: 'webhook',
      name: 'Receiver',
      target_url: `${receiver.url}/hook`,
      template,
      ...more,
    });

  it('replaces the body of a channel, and the signature is that of the sent bytes', async () => {
    const template = { body: { text: '{{alert.rule}}: {{alert.message}}', amount: '{{event.properties.amount}}' } };
    const { body } = await create(template);
    expect(body.configuration.template).toEqual(template);
    const count = receiver.received.length;
    const attempt = await ruleMatch(acme, body.id as string);
    await delivery.until(attempt, ({ status }) => status === 'sent');
    const request = receiver.received[count]!;
    expect(bodyOf(request)).toEqual({ text: expect.stringMatching(/^Payments fail: ./), amount: 12 });
    new Webhook(body.signing_secret as string).verify(request.body, request.headers as Record<string, string>);
  });

  it('gets an example for every placeholder in a test', async () => {
    const names = [
      ...['id', 'message', 'severity', 'status', 'rule', 'url', 'started_at', 'group'].map((name) => `alert.${name}`),
      ...['id', 'type', 'source', 'message', 'timestamp', 'properties.a.b'].map((name) => `event.${name}`),
      ...['project.id', 'project.name', 'delivery.id', 'delivery.attempt'],
    ];
    const template = { body: Object.fromEntries(names.map((name) => [name, `{{${name}}}`])) };
    await delivery.test(await channelWith(template));
    const filled = bodyOf(receiver.received.at(-1));
    expect(Object.keys(filled as object)).toEqual(expect.arrayContaining(names));
    for (const name of names) expect([name, filled[name] ?? null]).not.toEqual([name, null]);
    expect(filled).toMatchObject({ 'project.id': acme.projectId, 'delivery.attempt': 1 });

    const destination = await destinationWith(template).expect(201);
    const { id } = destination.body as { id: string };
    await api.as(acme.owner).post(`/v1/alert-destinations/${id}/test`).expect(200);
    const ofDestination = bodyOf(receiver.received.at(-1));
    for (const name of names) expect([name, ofDestination[name] ?? null]).not.toEqual([name, null]);
  });

  it('fills a secret of the project into a parameter when it is sent, and shows the secret nowhere', async () => {
    const template = { preset: 'pagerduty-events-v2', parameters: { routing_key: '{{secret:ROUTING_KEY}}' } };
    const id = await channelWith(template);
    receiver.answer((response) => response.writeHead(200).end(`taken for ${KEY}`));
    const { body: tested, text } = await delivery.send('post', `/channels/${id}/test`);
    receiver.answer(200);
    expect(tested.ok).toBe(true);
    expect(bodyOf(receiver.received.at(-1))).toMatchObject({
      routing_key: KEY,
      event_action: 'trigger',
      dedup_key: tested.delivery_id,
      payload: { severity: 'info', summary: expect.any(String), source: 'checkout' },
    });
    const destination = await destinationWith(template).expect(201);
    const { id: destinationId } = destination.body as { id: string };
    await api.as(acme.owner).post(`/v1/alert-destinations/${destinationId}/test`).expect(200);
    expect(bodyOf(receiver.received.at(-1))).toMatchObject({ routing_key: KEY });
    const attempt = await delivery.attempt(tested.delivery_id as string);
    expect(attempt.request.body.text).toContain('"routing_key":"[redacted]"');
    const texts = [
      text,
      destination.text,
      (await delivery.get('/channels')).text,
      (await delivery.get('/history')).text,
      (await delivery.get(`/history/${tested.delivery_id}`)).text,
      (await api.as(acme.owner).get(`/v1/projects/${acme.projectId}/activity`)).text,
      await logText(),
    ];
    for (const shown of texts) expect(shown).not.toContain(KEY);
  });

  it('names only secrets of its project, and is changed only by admins while it names one', async () => {
    const template = { preset: 'telegram', parameters: { chat_id: '{{secret:ROUTING_KEY}}' } };
    const globex = await tenant();
    const unknown = await create(template, deliveryOf(globex));
    expect([unknown.status, unknown.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'configuration', 'template', 'parameters', 'chat_id'] })],
    ]);
    const member = delivery.as(await acme.member());
    expect((await create(template, member)).status).toBe(403);
    const id = await channelWith(template);
    const url = `${receiver.url}/elsewhere`;
    for (const configuration of [{ url, template }, { url: `${receiver.url}/hook` }]) {
      expect((await member.send('patch', `/channels/${id}`, { configuration })).status).toBe(403);
    }
    const renamed = await member.send('patch', `/channels/${id}`, {
      configuration: { url: `${receiver.url}/hook`, template, retry_policy: { max_attempts: 1 } },
    });
    expect(renamed.status).toBe(200);
  });

  it('keeps the secret that it names from being deleted, in a channel as in an alert destination', async () => {
    const id = await secrets.created('CHAT', 'value');
    const template = { preset: 'telegram', parameters: { chat_id: 'c{{ secret: CHAT }}' } };
    const plain = { preset: 'discord' };
    const url = `${receiver.url}/hook`;
    const channel = await channelWith(template);
    const destination = (await destinationWith(template).expect(201)).body as { id: string };
    const header = { protected_headers: [{ name: 'X-H', value: '{{secret:CHAT}}' }] };
    await delivery.send('patch', `/channels/${channel}`, header);
    const ofHeader = { channel_id: channel, channel_name: 'Receiver', header_name: 'X-H' };
    const ofChannel = { channel_id: channel, channel_name: 'Receiver', parameter_name: 'chat_id' };
    const ofDestination = { destination_id: destination.id, destination_name: 'Receiver', parameter_name: 'chat_id' };
    const refusal = async (): Promise<unknown[]> => {
      const { status, body } = await secrets.delete(id);
      const { code, reason, references } = body.detail;
      const listed = (await secrets.list()).body as { id: string; references: number }[];
      expect([status, code, listed.find((each) => each.id === id)!.references]).toEqual([
        409,
        'secret_in_use',
        references.length,
      ]);
      return [reason, references];
    };
    const [reason, references] = await refusal();
    expect(reason).toBe('The secret is used by protected headers and templates');
    expect(references).toHaveLength(3);
    expect(references).toEqual(expect.arrayContaining([ofHeader, ofChannel, ofDestination]));
    await delivery.send('delete', `/channels/${channel}/protected-headers/X-H`);
    await api.as(acme.owner).patch(`/v1/alert-destinations/${destination.id}`, { template: plain }).expect(200);
    expect(await refusal()).toEqual(['The secret is used by templates', [ofChannel]]);
    await api.as(acme.owner).patch(`/v1/alert-destinations/${destination.id}`, { template }).expect(200);
    await delivery.send('patch', `/channels/${channel}`, { configuration: { url, template: plain } });
    expect(await refusal()).toEqual(['The secret is used by templates', [ofDestination]]);
    await api.as(acme.owner).delete(`/v1/alert-destinations/${destination.id}`).expect(204);
    expect((await secrets.delete(id)).status).toBe(204);
  });

  it('names a secret or finds it deleted, never both, when the two are requested at once', async () => {
    const url = `${receiver.url}/hook`;
    const channel = await channelWith({ preset: 'discord' });
    for (let round = 0; round < 6; round += 1) {
      const id = await secrets.created(`RACED_${round}`, 'value');
      const template = { preset: 'telegram', parameters: { chat_id: `{{secret:RACED_${round}}}` } };
      const [removed, saved] = await Promise.all([
        secrets.delete(id),
        delivery.send('patch', `/channels/${channel}`, { configuration: { url, template } }),
      ]);
      expect(['204 422', '409 200']).toContain(`${removed.status} ${saved.status}`);
      expect((await delivery.test(channel)).ok).toBe(true);
    }
  });

  it('is not sent when its secret is too long for a parameter', async () => {
    const id = await secrets.created('GROWING', 'value');
    const channel = await channelWith({ preset: 'telegram', parameters: { chat_id: '{{secret:GROWING}}' } });
    await secrets.replace(id, 'x'.repeat(2_049));
    expect(await delivery.test(channel)).toMatchObject({ ok: false, failure_reason: 'template_invalid' });
  });

  it('sends secrets only to the address of an alert destination that an admin has admitted', async () => {
    const template = { preset: 'pagerduty-events-v2', parameters: { routing_key: '{{secret:ROUTING_KEY}}' } };
    const { body } = await destinationWith(template).expect(201);
    const { id } = body as { id: string };
    const elsewhere = `${receiver.url}/elsewhere`;
    // Processes of the version before change the address of a destination without asking for an admin.
    await redirectDestination(id, elsewhere);
    const count = receiver.received.length;
    const test = () => api.as(acme.owner).post(`/v1/alert-destinations/${id}/test`);
    expect((await test().expect(502)).body.detail).toContain('template_invalid');
    const member = api.as(await acme.operator());
    await member.patch(`/v1/alert-destinations/${id}`, { target_url: elsewhere }).expect(403);
    await member.patch(`/v1/alert-destinations/${id}`, { name: 'Other' }).expect(200);
    await test().expect(502);
    expect(receiver.received).toHaveLength(count);
    await api.as(acme.owner).patch(`/v1/alert-destinations/${id}`, { target_url: elsewhere }).expect(200);
    await test().expect(200);
    expect(receiver.received.at(-1)!.path).toBe('/elsewhere');
  });

  it('sends the documented body of every preset', async () => {
    const parameters: Record<string, object> = {
      'pagerduty-events-v2': { routing_key: '{{secret:ROUTING_KEY}}' },
      telegram: { chat_id: '-100' },
      opsgenie: { api_key: '{{secret:GENIE_KEY}}' },
    };
    const bodies: Record<string, object> = {
      teams: {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              type: 'AdaptiveCard',
              body: [{ type: 'TextBlock' }, { type: 'TextBlock' }, { type: 'FactSet' }],
            },
          },
        ],
      },
      discord: { embeds: [{ title: TITLE, description: MESSAGE }], allowed_mentions: { parse: [] } },
      'google-chat': { text: expect.stringContaining(`${TITLE}\n${MESSAGE}\n`) },
      'pagerduty-events-v2': {
        routing_key: KEY,
        event_action: 'trigger',
        payload: { summary: `${TITLE}: ${MESSAGE}`, source: 'checkout', severity: 'info' },
      },
      opsgenie: {
        message: TITLE,
        alias: expect.stringMatching(/^[0-9a-f-]{36}$/),
        description: expect.stringContaining(MESSAGE),
        details: { source: 'checkout' },
        priority: 'P5',
      },
      telegram: { chat_id: '-100', text: expect.stringContaining(`${TITLE}\n${MESSAGE}\n`) },
      mattermost: { attachments: [{ title: TITLE, text: MESSAGE, fields: expect.any(Array) }] },
    };
    for (const [preset, body] of Object.entries(bodies)) {
      const given = parameters[preset];
      await delivery.test(await channelWith({ preset, ...(given && { parameters: given }) }));
      const request = receiver.received.at(-1)!;
      expect(bodyOf(request)).toMatchObject(body);
      expect(request.headers.authorization).toBe(preset === 'opsgenie' ? 'GenieKey genie' : undefined);
    }
  });

  it('closes the alert of Opsgenie that it created, for a channel as for an alert destination', async () => {
    const template = { preset: 'opsgenie', parameters: { api_key: '{{secret:GENIE_KEY}}' } };
    const [channelPath, destinationPath] = ['/channel/v2/alerts', '/destination/v2/alerts'];
    const configuration = { url: `${receiver.url}${channelPath}`, template };
    const channel = (await delivery.create({ type: 'webhook', configuration })).body as { id: string };
    const destination = await destinationWith(template, { target_url: `${receiver.url}${destinationPath}` });
    const type = 'closed.event';
    const rule = {
      project_id: acme.projectId,
      name: 'Closed',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
      keep_firing_seconds: 86_400,
      channel_ids: [channel.id],
      destination_ids: [(destination.body as { id: string }).id],
    };
    await api.as(acme.owner).post('/v1/alert-rules', rule).expect(201);
    const count = receiver.received.length;
    await api.as(acme.key).post('/v1/events/ingest', { event_type: type, source: 'shop' }).expect(200);
    await receiver.requests(count + 2);
    const created = receiver.received.slice(count);
    expect(created.map(({ path }) => path).sort()).toEqual([channelPath, destinationPath]);
    const { alias } = bodyOf(created[0]);
    await api.as(acme.owner).post(`/v1/alerts/events/${alias}/resolve`).expect(200);
    await receiver.requests(count + 4);
    const closed = receiver.received.slice(count + 2);
    const close = `/${alias}/close?identifierType=alias`;
    expect(closed.map(({ path }) => path).sort()).toEqual([`${channelPath}${close}`, `${destinationPath}${close}`]);
    for (const request of closed) {
      expect(bodyOf(request)).toEqual({ source: expect.any(String), note: '[RESOLVED] Closed' });
      expect(request.headers.authorization).toBe('GenieKey genie');
    }
    const closing = closed.find(({ path }) => path.startsWith(destinationPath));
    const shown = await eventually(
      async () =>
        (await api.as(acme.owner).get(`/v1/alerts/deliveries/${String(closing?.headers['x-service-delivery-id'])}`))
          .body,
      ({ status }) => status === 'sent',
    );
    expect(shown.request.url).toBe(`${receiver.url}${destinationPath}${close}`);
  });

  it.each([
    ['an unknown placeholder', { body: { text: ['{{alert.nothing}}'] } }, ['body', 'text', 0]],
    ['a placeholder for a secret', { body: { text: '{{secret:ROUTING_KEY}}' } }, ['body', 'text']],
    ['more than 16 KiB', { body: 'x'.repeat(1_000_000 / 2) }, []],
    ['an unknown preset', { preset: 'constructor' }, ['preset']],
    [
      'a credential that is no secret',
      { preset: 'pagerduty-events-v2', parameters: { routing_key: 'plain' } },
      ['parameters', 'routing_key'],
    ],
    ['a preset without its parameter', { preset: 'telegram' }, ['parameters', 'chat_id']],
    ['neither preset nor body', {}, []],
  ])('returns 422 at the right place for %s', async (_, template, path) => {
    const channel = await create(template);
    expect([channel.status, channel.body.detail?.[0]?.loc]).toEqual([
      422,
      ['body', 'configuration', 'template', ...path],
    ]);
    const destination = await destinationWith(template).expect(422);
    expect(destination.body.detail[0].loc).toEqual(['body', 'template', ...path]);
  });

  it('is kept, replaced and removed by changes of a destination, and refused for Slack', async () => {
    const template = { preset: 'discord' };
    const { body } = await destinationWith(template).expect(201);
    const { id } = body as { id: string };
    const change = async (more: object): Promise<unknown> =>
      (await api.as(acme.owner).patch(`/v1/alert-destinations/${id}`, more).expect(200)).body.template;
    expect(await change({ name: 'Other' })).toEqual(template);
    expect(await change({ template: { body: ['{{alert.id}}'] } })).toEqual({ body: ['{{alert.id}}'] });
    expect(await change({ template: null })).toBeNull();
    await destinationWith(template, { type: 'slack' }).expect(422);
  });

  it('makes valid JSON of quotes, control characters and long values of an event', async () => {
    const strange = '"\\\n\u0001\u2028 {{alert.id}} </script>';
    const id = await channelWith({ body: { a: 'x {{event.properties.note}}', long: '{{event.properties.long}}' } });
    const type = 'strange.event';
    const rule = {
      project_id: acme.projectId,
      name: 'Strange events',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
      channel_ids: [id],
    };
    await api.as(acme.owner).post('/v1/alert-rules', rule).expect(201);
    const count = receiver.received.length;
    const properties = { note: strange, long: 'y'.repeat(6_000) };
    await api
      .as(acme.key)
      .post('/v1/events/ingest', { event_type: type, source: 'shop', payload: properties })
      .expect(200);
    await receiver.requests(count + 1);
    const sent = bodyOf(receiver.received[count]);
    expect(sent.a).toBe(`x ${strange}`);
    expect(sent.long).toBe(`${'y'.repeat(3_999)}…`);
  });

  it.each([
    ['16 KiB', 20_000],
    ['64 KiB', 80_000],
  ])('has the small properties of an event that has more than %s of them', async (_, length) => {
    const names = ['order_id', 'order.id', 'omitted'].map((name) => `event.properties.${name}`);
    const id = await channelWith({ body: names.map((name) => `{{${name}}}`) });
    const type = `large.event.${length}`;
    const rule = {
      project_id: acme.projectId,
      name: 'Large events',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
      channel_ids: [id],
    };
    await api.as(acme.owner).post('/v1/alert-rules', rule).expect(201);
    const count = receiver.received.length;
    const payload = { large: 'y'.repeat(length), order: { id: 'o-1' }, order_id: 7 };
    await api.as(acme.key).post('/v1/events/ingest', { event_type: type, source: 'shop', payload }).expect(200);
    await receiver.requests(count + 1);
    expect(bodyOf(receiver.received[count])).toEqual([7, 'o-1', 'properties are too large']);
  });

  it('has message and time of the newest event beside those of the alert, and the group of the rule', async () => {
    const names = ['alert.message', 'event.message', 'event.timestamp', 'alert.group'];
    const id = await channelWith({ body: names.map((name) => `{{${name}}}`) });
    const type = 'grouped.event';
    const rule = {
      project_id: acme.projectId,
      name: 'Refused',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
      group_by: ['properties.shop'],
      cooldown_seconds: 0,
      keep_firing_seconds: 86_400,
      channel_ids: [id],
    };
    await api.as(acme.owner).post('/v1/alert-rules', rule).expect(201);
    const count = receiver.received.length;
    const now = Date.now();
    for (const [index, message] of ['first', 'second'].entries()) {
      const timestamp = new Date(now - 2_000 + index * 1_000).toISOString();
      const event = { event_type: type, source: 'shop', message, timestamp, payload: { shop: 'Köln' } };
      await api.as(acme.key).post('/v1/events/ingest', event).expect(200);
      await receiver.requests(count + index + 1);
      const sent = bodyOf(receiver.received[count + index]);
      expect(sent).toEqual([`Refused: ${message}`, message, timestamp, { 'properties.shop': 'Köln' }]);
    }
  });
});
