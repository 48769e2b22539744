import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { SecretsReader } from '../../../src/modules/entitlement/secrets/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { type DeliveryClient, deliveryOf, makeDue, ruleMatch, runRetries } from '../../support/delivery.js';
import { everythingKept } from '../../support/kept.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets.js';
import { app } from './worker-app.js';

describe('a secret in a protected header', () => {
  let owner: Owner;
  let delivery: DeliveryClient;
  let secrets: SecretsClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
    secrets = secretsOf(app, owner);
    receiver.answer(200);
  });
  afterAll(async () => {
    await receiver.close();
  });

  const channelWith = (...values: string[]): Promise<string> =>
    delivery.webhook(receiver.url, {
      protected_headers: values.map((value, at) => ({ name: `X-H${at}`, value })),
    });
  const received = (name = 'x-h0'): unknown => receiver.received.at(-1)?.headers[name];
  const headerPath = (channel: string, name = ''): string =>
    `/channels/${channel}/protected-headers${name && `/${name}`}`;

  describe('a header whose channel is changed between the claim of an attempt and its send', () => {
    /** Does something after the next claim, before the secrets are read. */
    function meanwhile(act: () => Promise<unknown>): void {
      const reader = app.nest.get(SecretsReader, { strict: false });
      const present = reader.present.bind(reader);
      jest.spyOn(reader, 'present').mockImplementationOnce(async (...asked) => {
        await act();
        return present(...asked);
      });
    }

    it('is sent only to the new address', async () => {
      const id = await secrets.made('TOKEN', 'before');
      const channel = await channelWith('{{secret:TOKEN}}');
      const from = receiver.received.length;
      meanwhile(async () => {
        await delivery.send('patch', `/channels/${channel}`, { configuration: { url: `${receiver.url}/elsewhere` } });
        await secrets.replace(id, 'after');
      });
      const attempt = await ruleMatch(app, owner.projectId, channel);
      const waits = await delivery.until(attempt, ({ failure_reason }) => failure_reason === 'channel_changed');
      expect(waits).toMatchObject({ status: 'pending', retry_count: 0 });
      await makeDue(app, attempt);
      await runRetries(app);
      await delivery.until(attempt, ({ status }) => status === 'sent');
      expect(receiver.received.slice(from).map(({ path, headers }) => [path, headers['x-h0']])).toEqual([
        ['/elsewhere', 'after'],
      ]);
    });

    it('ends no attempt when it is deleted after its header has ceased to name it', async () => {
      const id = await secrets.made('TOKEN', 'before');
      const channel = await channelWith('{{secret:TOKEN}}');
      meanwhile(async () => {
        await delivery.send('patch', headerPath(channel, 'X-H0'), { value: 'raw' });
        expect((await secrets.delete(id)).status).toBe(204);
      });
      const attempt = await ruleMatch(app, owner.projectId, channel);
      await delivery.until(attempt, ({ failure_reason }) => failure_reason === 'channel_changed');
      await makeDue(app, attempt);
      await runRetries(app);
      await delivery.until(attempt, ({ status }) => status === 'sent');
      expect(received()).toBe('raw');
    });
  });

  it('is found in no table, log line, metric, document or answer after all kinds of failures', async () => {
    const marked = {
      token: 'marked+token/0123456789=&"x"',
      bad: 'marked-bad\r\n0123456789',
      refused: 'marked-refused-0123456789',
    };
    const texts: string[] = [];
    const note = (answer: Response): Response => {
      texts.push(answer.text, JSON.stringify(answer.headers));
      return answer;
    };
    const made = note(await secrets.create('TOKEN', marked.token)).body as { id: string };
    const other = note(await secrets.create('BAD', marked.bad, { description: 'no header' })).body as { id: string };
    // Refused by everybody who refuses.
    const viewer = secrets.as(await addMember(app, owner, 'viewer'));
    note(await secrets.create('TOKEN', marked.refused));
    note(await secrets.create('lower', marked.refused));
    note(await secrets.create('LONG', marked.refused.repeat(2_000)));
    note(await secrets.create('NUL', `${marked.refused}\u0000`));
    note(await viewer.create('VIEWED', marked.refused));
    note(await viewer.replace(made.id, marked.refused));
    note(await secrets.replace(made.id.replace(/^./, '0'), marked.refused));
    note(await app.request().post('/v1/secrets').send({ value: marked.refused }));
    const raw = app.request().post('/v1/secrets').set('Authorization', owner.bearer).type('json');
    note(await raw.send(`{"value": "${marked.refused}", `));
    note(await secrets.replace(made.id, marked.token));
    // Sent, echoed, refused, timed out and unbuildable.
    const channel = await channelWith('Token id:{{secret:TOKEN}}', 'x-{{secret:TOKEN}}-y');
    const forms = [
      marked.token,
      encodeURIComponent(marked.token),
      JSON.stringify(marked.token).slice(1, -1),
      Buffer.from(marked.token).toString('base64'),
      Buffer.from(marked.token).toString('base64url'),
      Buffer.from(`Token id:${marked.token}`).toString('base64'),
      Buffer.from(marked.token).toString('hex'),
      [...marked.token].map((character) => `&#${character.charCodeAt(0)};`).join(''),
      [...marked.token].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('\n'),
    ];
    for (const [at, form] of forms.entries()) {
      receiver.answer((response) => {
        response.writeHead(at % 2 === 0 ? 200 : 500, { 'Content-Type': `text/plain; a=${encodeURIComponent(form)}` });
        response.end(`got ${form} there`);
      });
      note(await delivery.send('post', `/channels/${channel}/test`));
    }
    receiver.answer((_, __, socket) => void socket.destroy());
    const lost = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(lost, ({ status }) => status === 'failed');
    note(await delivery.send('post', `/history/${lost}/retry-now`));
    await secrets.replace(made.id, marked.bad);
    const unbuilt = await ruleMatch(app, owner.projectId, channel);
    await delivery.until(unbuilt, ({ retry_state }) => retry_state === 'terminal');
    note(await delivery.send('post', `/history/${unbuilt}/replay`));
    note(await delivery.send('patch', headerPath(channel, 'X-H0'), { value: '{{secret:BAD}}{{secret:NONE}}' }));
    await app.rows(`UPDATE project_secrets SET value = regexp_replace(value, '.$', '') WHERE id = $1`, [made.id]);
    note(await delivery.send('post', `/channels/${channel}/test`));
    note(await secrets.delete(made.id));
    note(await secrets.delete(other.id));
    note(await secrets.list());
    for (const path of ['/history', '/retry-audits', '/channels']) note(await delivery.get(path));
    note(await delivery.get(`/history/${lost}`));
    const activity = app.request().get(`/v1/projects/${owner.projectId}/activity`);
    note(await activity.set('Authorization', owner.bearer));
    const document = readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8');
    const kept = [await everythingKept(app), ...texts, document].join('\n');
    const found = [...forms, ...Object.values(marked)].filter(
      (form) => kept.includes(form) || kept.includes(JSON.stringify(form).slice(1, -1)),
    );
    expect(found).toEqual([]);
    expect(kept).not.toMatch(/marked[+-](?:token|bad|refused)/);
  });
});
