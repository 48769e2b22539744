import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/index.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type DeliveryClient, deliveryOf, type Json } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

describe('secrets of a project', () => {
  let app: TestApp;
  let owner: Owner;
  let secrets: SecretsClient;
  let delivery: DeliveryClient;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await createTestApp({ env: DELIVERY_ENV });
    receiver = await startReceiver();
    await anew();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  /** A project with nothing in it. */
  async function anew(): Promise<void> {
    owner = await ownerWithProject(app);
    secrets = secretsOf(app, owner);
    delivery = deliveryOf(app, owner);
  }

  const actions = async (): Promise<Json[]> =>
    app.rows(
      `SELECT actor_user_id, action, target_type, target_id, detail FROM audit_events
       WHERE project_id = $1 AND action LIKE 'secret.%' ORDER BY created_at`,
      [owner.projectId],
    );

  it('are stored, listed by name, replaced and deleted; nobody is answered a value', async () => {
    const created = await secrets.create('SECOND', 'first value ', { description: 'For payments' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: owner.projectId,
        name: 'SECOND',
        description: 'For payments',
        version: 1,
        references: 0,
        last_used_at: null,
        created_at: TIME,
        updated_at: TIME,
        created_by: owner.id,
        updated_by: owner.id,
      },
    ]);
    const admin = await addMember(app, owner, 'admin');
    const second = created.body as { id: string; updated_at: string };
    const first = (await secrets.as(admin).create('SECONC9', 'x', { description: null })).body as { id: string };
    const underscored = (await secrets.create('SECOND_', 'x')).body as { id: string };
    const viewer = secrets.as(await addMember(app, owner, 'viewer'));
    const ids = (await viewer.list()).body.map(({ id }: Json) => id as string);
    expect(ids).toEqual([first.id, second.id, underscored.id]);

    const replaced = await secrets.as(admin).replace(second.id, 'another');
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...created.body, version: 2, updated_at: TIME, updated_by: admin.id },
    ]);
    expect(Date.parse(replaced.body.updated_at)).toBeGreaterThan(Date.parse(second.updated_at));
    expect((await secrets.replace(second.id, 'another', { description: null })).body).toMatchObject({
      version: 3,
      description: null,
      created_by: owner.id,
      updated_by: owner.id,
    });
    expect((await secrets.replace(second.id, 'x', { description: '' })).body).toMatchObject({ description: '' });
    for (const answer of [await secrets.delete(second.id), await secrets.delete(underscored.id)])
      expect([answer.status, answer.text]).toEqual([204, '']);
    for (const answer of [await secrets.delete(second.id), await secrets.replace(second.id, 'x')])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Secret not found' }]);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id: first.id })]);
    expect((await secrets.create('SECOND', 'x')).status).toBe(201);

    const [made, , , again] = await actions();
    const target = { target_type: 'secret', target_id: second.id };
    expect(made).toEqual({
      actor_user_id: owner.id,
      action: 'secret.created',
      ...target,
      detail: { name: 'SECOND', version: 1 },
    });
    expect(again).toEqual({
      actor_user_id: admin.id,
      action: 'secret.replaced',
      ...target,
      detail: { name: 'SECOND', version: 2 },
    });
    const activity = await app
      .request()
      .get(`/v1/projects/${owner.projectId}/activity`)
      .set('Authorization', owner.bearer);
    expect(activity.body.items.map(({ action }: Json) => action)).toEqual(
      expect.arrayContaining(['secret.created', 'secret.replaced', 'secret.deleted']),
    );
  });

  const VALUE = 'marked-in-bad-input';
  it.each([
    ['no name', { value: VALUE }, ['body', 'name'], 'missing'],
    ['no value', { name: 'GOOD' }, ['body', 'value'], 'missing'],
    ['an empty value', { name: 'GOOD', value: '' }, ['body', 'value'], 'string_too_short'],
    ['a NUL', { name: 'GOOD', value: `${VALUE}\u0000` }, ['body', 'value'], 'value_error'],
    ['half a surrogate pair', { name: 'GOOD', value: `${VALUE}\ud800` }, ['body', 'value'], 'value_error'],
    ['a number', { name: 'GOOD', value: 12 }, ['body', 'value'], 'string_type'],
    ['null', { name: 'GOOD', value: null }, ['body', 'value'], 'string_type'],
    ['an object', { name: 'GOOD', value: { VALUE } }, ['body', 'value'], 'string_type'],
    ['a character too many', { name: 'GOOD', value: 'v'.repeat(49_153) }, ['body', 'value'], 'string_too_long'],
    ['a byte too many', { name: 'GOOD', value: `${'ü'.repeat(24_576)}v` }, ['body', 'value'], 'value_error'],
    ['a lower-case name', { name: 'good', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['a digit first', { name: '1GOOD', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['a line break in the name', { name: 'GOOD\n', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['an empty name', { name: '', value: VALUE }, ['body', 'name'], 'string_too_short'],
    ['a long name', { name: 'A'.repeat(101), value: VALUE }, ['body', 'name'], 'string_too_long'],
    [
      'a long description',
      { name: 'GOOD', value: VALUE, description: 'd'.repeat(501) },
      ['body', 'description'],
      'string_too_long',
    ],
  ])('are refused with %s, and the value is not repeated', async (_, body, loc, type) => {
    const answer = await app
      .request()
      .post('/v1/secrets')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, ...body });
    expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ loc, type })]]);
    if (loc[1] === 'value' && type !== 'missing') expect(answer.body.detail[0].input).toBe('[redacted]');
    expect(answer.text).not.toContain(VALUE);
    expect(app.logLines.join('\n')).not.toContain(VALUE);
    expect((await secrets.list()).body.map(({ name }: Json) => name)).not.toContain('GOOD');
  });

  it('take the longest name and value, kept to the byte', async () => {
    await anew();
    const name = 'L'.repeat(100);
    const value = ` ${'ü'.repeat(24_575)}\n`;
    expect(Buffer.byteLength(value)).toBe(49_152);
    const { status } = await secrets.create(name, value, { description: 'd'.repeat(500) });
    expect(status).toBe(201);
    // What it is shows where it is used: a header of the shortest values that are none of a header.
    await secrets.made('BLANK', ' \t ');
    await delivery.webhook(receiver.url, { protected_headers: [{ name: 'X-Blank', value: '[{{secret:BLANK}}]' }] });
    const [channel] = (await delivery.get('/channels')).body as Json[];
    await delivery.send('post', `/channels/${channel.id}/test`);
    expect(receiver.received.at(-1)?.headers['x-blank']).toBe('[ \t ]');
  });

  it('have names of their own, of which one of many that ask at once gets each', async () => {
    await anew();
    const answers = await Promise.all(Array.from({ length: 8 }, () => secrets.create('RACED', 'value')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Secret name already in use' });
    expect(await actions()).toHaveLength(1);
  });

  it('are a hundred of a project at most, however many are stored at once', async () => {
    await anew();
    await app.rows(
      `INSERT INTO project_secrets (id, project_id, name, value, version)
       SELECT gen_random_uuid(), $1, 'OLD_' || n, 'envelope', 1 FROM generate_series(1, 98) n`,
      [owner.projectId],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, (_, at) => secrets.create(`NEW_${at}`, 'value')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many secrets' });
  });

  it('are replaced one after the other by many at once, each a version, of which the last holds', async () => {
    await anew();
    const id = await secrets.made('RACED', 'value-1');
    const channel = await delivery.webhook(receiver.url, {
      protected_headers: [{ name: 'X-Raced', value: '{{secret:RACED}}' }],
    });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => secrets.replace(id, `raced-${at}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const versions = answers.map(({ body }) => body.version as number);
    expect([...versions].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at + 2));
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ version: 11, references: 1 })]);
    await delivery.send('post', `/channels/${channel}/test`);
    expect(receiver.received.at(-1)?.headers['x-raced']).toBe(`raced-${versions.indexOf(11)}`);
  });

  it('are those of their project alone', async () => {
    await anew();
    const id = await secrets.made('OURS', 'value');
    const stranger = await ownerWithProject(app);
    const theirs = secretsOf(app, stranger);
    for (const answer of [await theirs.replace(id, 'x'), await theirs.delete(id), await theirs.delete(newId())])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Secret not found' }]);
    expect((await secrets.as(stranger).list()).status).toBe(403);
    const header = { protected_headers: [{ name: 'X-A', value: '{{secret:OURS}}' }] };
    const channel = { type: 'webhook', configuration: { url: receiver.url }, ...header };
    expect((await deliveryOf(app, stranger).create(channel)).status).toBe(422);
    expect((await theirs.create('OURS', 'other')).status).toBe(201);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id, version: 1 })]);
  });

  it.each(['viewer', 'member', 'operator'])('are read by a %s, and not changed', async (role) => {
    const id = await secrets.made(`BY_${role.toUpperCase()}`, 'value');
    const actor = secrets.as(await addMember(app, owner, role));
    expect((await actor.list()).status).toBe(200);
    for (const answer of [await actor.create('X', 'x'), await actor.replace(id, 'x'), await actor.delete(id)])
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient project role' }]);
  });

  it('outlive the people who made them', async () => {
    await anew();
    const admin = await addMember(app, owner, 'admin');
    const id = await secrets.as(admin).made('ORPHAN', 'value');
    await app.rows('DELETE FROM users WHERE id = $1', [admin.id]);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id, created_by: null, updated_by: null })]);
  });

  describe('of a project that ends', () => {
    const lifecycle = (verb: 'post' | 'delete', rest: string, actor: Actor = owner) =>
      app.request()[verb](`/v1/projects/${owner.projectId}${rest}`).set('Authorization', actor.bearer);

    it('are not added or replaced while it is archived, but read and deleted', async () => {
      await anew();
      const [kept, other] = [await secrets.made('KEPT', 'value'), await secrets.made('OTHER', 'value')];
      await lifecycle('post', '/archive').expect(200);
      for (const answer of [await secrets.create('NEW', 'x'), await secrets.replace(kept, 'x')])
        expect([answer.status, answer.body]).toEqual([403, { detail: 'Project is archived' }]);
      expect((await secrets.list()).body).toHaveLength(2);
      expect((await secrets.delete(other)).status).toBe(204);
      await lifecycle('post', '/restore').expect(200);
      expect((await secrets.replace(kept, 'x')).body).toMatchObject({ version: 2 });
    });

    it('go with it, also those in use', async () => {
      await anew();
      for (const name of ['FIRST', 'SECOND']) await secrets.made(name, 'value');
      await delivery.webhook(receiver.url, {
        protected_headers: [{ name: 'X-A', value: '{{secret:FIRST}}{{secret:SECOND}}' }],
      });
      await lifecycle('post', '/archive').expect(200);
      await lifecycle('delete', '').expect(204);
      await app.rows(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE id = $1`, [owner.projectId]);
      await app.nest.get(MaintenanceRunner, { strict: false }).run();
      for (const table of ['protected_header_secrets', 'project_secrets', 'delivery_channels'])
        expect(await app.rows(`SELECT 1 FROM ${table} WHERE project_id = $1`, [owner.projectId])).toEqual([]);
      expect(await app.rows('SELECT 1 FROM projects WHERE id = $1', [owner.projectId])).toEqual([]);
    });
  });

  it('are listed and deleted, not stored, while encryption is switched off', async () => {
    await anew();
    const id = await secrets.made('KEPT', 'value');
    const off = await createTestApp({
      env: { ...DELIVERY_ENV, CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
    });
    try {
      const there = secretsOf(off, owner);
      for (const answer of [await there.create('NEW', 'x'), await there.replace(id, 'x')])
        expect([answer.status, answer.body]).toEqual([503, { detail: 'Secrets are unavailable' }]);
      expect((await there.list()).body).toEqual([expect.objectContaining({ id, version: 1 })]);
      expect((await there.delete(id)).status).toBe(204);
    } finally {
      await off.close();
    }
  });
});
