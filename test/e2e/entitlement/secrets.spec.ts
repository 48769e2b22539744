import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ActivityEntry, activityOf } from '../../support/activity.js';
import { type DeliveryClient, deliveryOf, type Json } from '../../support/delivery-api.js';
import { eventually } from '../../support/eventually.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { type SecretsClient, secretsOf } from '../../support/secrets-api.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import { backdateProjectDeletion, fillSecrets, rowsOfProject } from '../../support/sql-builders/entitlement.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

describe('a secret of a project', () => {
  let acme: Tenant;
  let secrets: SecretsClient;
  let delivery: DeliveryClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    acme = await tenant();
    secrets = secretsOf(acme);
    delivery = deliveryOf(acme);
  });
  afterAll(() => receiver.close());

  const acts = async (): Promise<ActivityEntry[]> =>
    (await activityOf(acme)).filter(({ action }) => action.startsWith('secret.'));

  it('is stored, listed by name, replaced and deleted, and no answer has its value', async () => {
    const created = await secrets.create('SECOND', 'first value ', { description: 'For payments' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: acme.projectId,
        name: 'SECOND',
        description: 'For payments',
        version: 1,
        references: 0,
        last_used_at: null,
        created_at: TIME,
        updated_at: TIME,
        created_by: acme.owner.id,
        updated_by: acme.owner.id,
      },
    ]);
    const admin = await acme.admin();
    const second = created.body as { id: string; updated_at: string };
    const first = (await secrets.as(admin).create('SECONC9', 'x', { description: null })).body as { id: string };
    const underscored = (await secrets.create('SECOND_', 'x')).body as { id: string };
    const viewer = secrets.as(await acme.viewer());
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
      created_by: acme.owner.id,
      updated_by: acme.owner.id,
    });
    expect((await secrets.replace(second.id, 'x', { description: '' })).body).toMatchObject({ description: '' });
    for (const answer of [await secrets.delete(second.id), await secrets.delete(underscored.id)])
      expect([answer.status, answer.text]).toEqual([204, '']);
    for (const answer of [await secrets.delete(second.id), await secrets.replace(second.id, 'x')])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Secret not found' }]);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id: first.id })]);
    expect((await secrets.create('SECOND', 'x')).status).toBe(201);

    const entries = await acts();
    const [creation, , , replacement] = entries.map(({ actor_user_id, action, target_type, target_id, detail }) => ({
      actor_user_id,
      action,
      target_type,
      target_id,
      detail,
    }));
    const target = { target_type: 'secret', target_id: second.id };
    expect(creation).toEqual({
      actor_user_id: acme.owner.id,
      action: 'secret.created',
      ...target,
      detail: { name: 'SECOND', version: 1 },
    });
    expect(replacement).toEqual({
      actor_user_id: admin.id,
      action: 'secret.replaced',
      ...target,
      detail: { name: 'SECOND', version: 2 },
    });
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['secret.created', 'secret.replaced', 'secret.deleted']),
    );
  });

  const VALUE = 'marked-in-bad-input';
  it.each([
    ['no name', { value: VALUE }, ['body', 'name'], 'missing'],
    ['no value', { name: 'GOOD' }, ['body', 'value'], 'missing'],
    ['an empty value', { name: 'GOOD', value: '' }, ['body', 'value'], 'string_too_short'],
    ['a NUL in the value', { name: 'GOOD', value: `${VALUE}\u0000` }, ['body', 'value'], 'value_error'],
    ['half a surrogate pair in the value', { name: 'GOOD', value: `${VALUE}\ud800` }, ['body', 'value'], 'value_error'],
    ['the value 12', { name: 'GOOD', value: 12 }, ['body', 'value'], 'string_type'],
    ['the value null', { name: 'GOOD', value: null }, ['body', 'value'], 'string_type'],
    ['an object as its value', { name: 'GOOD', value: { VALUE } }, ['body', 'value'], 'string_type'],
    ['a value of 49,153 characters', { name: 'GOOD', value: 'v'.repeat(49_153) }, ['body', 'value'], 'string_too_long'],
    ['a value of 49,153 bytes', { name: 'GOOD', value: `${'ü'.repeat(24_576)}v` }, ['body', 'value'], 'value_error'],
    ['a lower-case name', { name: 'good', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['a digit at the start of its name', { name: '1GOOD', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['a line break in its name', { name: 'GOOD\n', value: VALUE }, ['body', 'name'], 'string_pattern_mismatch'],
    ['an empty name', { name: '', value: VALUE }, ['body', 'name'], 'string_too_short'],
    ['a name of 101 characters', { name: 'A'.repeat(101), value: VALUE }, ['body', 'name'], 'string_too_long'],
    [
      'a description of 501 characters',
      { name: 'GOOD', value: VALUE, description: 'd'.repeat(501) },
      ['body', 'description'],
      'string_too_long',
    ],
  ])('is refused with %s, and its value is neither answered nor logged', async (_, body, loc, type) => {
    const answer = await api.as(acme.owner).post('/v1/secrets', { project_id: acme.projectId, ...body });
    expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ loc, type })]]);
    if (loc[1] === 'value' && type !== 'missing') expect(answer.body.detail[0].input).toBe('[redacted]');
    expect(answer.text).not.toContain(VALUE);
    expect(await logText()).not.toContain(VALUE);
    expect((await secrets.list()).body.map(({ name }: Json) => name)).not.toContain('GOOD');
  });

  it('has a name of up to 100 characters and a value of up to 49,152 bytes, which is kept to the byte', async () => {
    const name = 'L'.repeat(100);
    const value = ` ${'ü'.repeat(24_575)}\n`;
    expect(Buffer.byteLength(value)).toBe(49_152);
    const { status } = await secrets.create(name, value, { description: 'd'.repeat(500) });
    expect(status).toBe(201);
    // No route shows a value, but a header that is sent does. This one is a short value with spaces around.
    await secrets.created('BLANK', ' \t ');
    const channel = await delivery.webhook(receiver.url, {
      protected_headers: [{ name: 'X-Blank', value: '[{{secret:BLANK}}]' }],
    });
    await delivery.test(channel);
    expect(receiver.received.at(-1)?.headers['x-blank']).toBe('[ \t ]');
  });

  it('returns 409 when its name is in use, also to all but one of many simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => secrets.create('RACED', 'value')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Secret name already in use' });
    expect(await acts()).toHaveLength(1);
  });

  it('is one of at most 100 of its project, however many are stored at once', async () => {
    await fillSecrets(acme.projectId, 98);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, at) => secrets.create(`NEW_${at}`, 'value')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: 'Project has too many secrets' });
  });

  it('gets a version for each of many simultaneous replacements, and keeps the value of the last version', async () => {
    const id = await secrets.created('RACED', 'value-1');
    const channel = await delivery.webhook(receiver.url, {
      protected_headers: [{ name: 'X-Raced', value: '{{secret:RACED}}' }],
    });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => secrets.replace(id, `raced-${at}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const versions = answers.map(({ body }) => body.version as number);
    expect([...versions].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at + 2));
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ version: 11, references: 1 })]);
    await delivery.test(channel);
    expect(receiver.received.at(-1)?.headers['x-raced']).toBe(`raced-${versions.indexOf(11)}`);
  });

  it('is not found, replaced, deleted or used in another project', async () => {
    const id = await secrets.created('OURS', 'value');
    const globex = await tenant();
    const theirs = secretsOf(globex);
    for (const answer of [await theirs.replace(id, 'x'), await theirs.delete(id), await theirs.delete(NOWHERE)])
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Secret not found' }]);
    expect((await secrets.as(globex.owner).list()).status).toBe(403);
    const header = { protected_headers: [{ name: 'X-A', value: '{{secret:OURS}}' }] };
    const channel = { type: 'webhook', configuration: { url: receiver.url }, ...header };
    expect((await deliveryOf(globex).create(channel)).status).toBe(422);
    expect((await theirs.create('OURS', 'other')).status).toBe(201);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id, version: 1 })]);
  });

  it.each(['viewer', 'member', 'operator'] as const)('is read and not changed by a %s', async (role) => {
    const id = await secrets.created(`BY_${role.toUpperCase()}`, 'value');
    const asRole = secrets.as(await acme[role]());
    expect((await asRole.list()).status).toBe(200);
    for (const answer of [await asRole.create('X', 'x'), await asRole.replace(id, 'x'), await asRole.delete(id)])
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient project role' }]);
  });

  it('outlives the account that created it', async () => {
    const admin = await acme.admin();
    const id = await secrets.as(admin).created('ORPHAN', 'value');
    await deleteUser(admin.id);
    expect((await secrets.list()).body).toEqual([expect.objectContaining({ id, created_by: null, updated_by: null })]);
  });

  it('is read and deleted, but not created or replaced, while its project is archived', async () => {
    const [kept, other] = [await secrets.created('KEPT', 'value'), await secrets.created('OTHER', 'value')];
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    for (const answer of [await secrets.create('NEW', 'x'), await secrets.replace(kept, 'x')])
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Project is archived' }]);
    expect((await secrets.list()).body).toHaveLength(2);
    expect((await secrets.delete(other)).status).toBe(204);
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/restore`).expect(200);
    expect((await secrets.replace(kept, 'x')).body).toMatchObject({ version: 2 });
  });

  it('is deleted with its project, also while a header names it', async () => {
    for (const name of ['FIRST', 'SECOND']) await secrets.created(name, 'value');
    await delivery.webhook(receiver.url, {
      protected_headers: [{ name: 'X-A', value: '{{secret:FIRST}}{{secret:SECOND}}' }],
    });
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}`).expect(204);
    await backdateProjectDeletion(acme.projectId);
    // Other tests delete projects, too, and a round of maintenance removes a few projects.
    await eventually(
      async () => {
        await job('maintenance');
        return rowsOfProject('projects', acme.projectId);
      },
      (rows) => rows === 0,
    );
    for (const table of ['protected_header_secrets', 'project_secrets', 'delivery_channels'] as const)
      expect(await rowsOfProject(table, acme.projectId)).toBe(0);
  });
});
