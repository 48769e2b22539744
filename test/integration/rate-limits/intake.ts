import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownerWithProject, type Owner } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { JSON_TYPE, logsWith, otlpBody, PROTOBUF, sendOtlp } from '../../support/otlp.js';
import { app as deployment } from './deployment.js';

const UNKNOWN = 'oes_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const PER_ADDRESS = 120;

const basic = (key: string): string => `Basic ${btoa(`${key}:`)}`;
/** The three ways to present a key, in the order of the tests. */
const waysOf = (key: string): Record<string, string>[] => [
  { 'X-API-Key': key },
  { Authorization: `Bearer ${key}` },
  { Authorization: basic(key) },
];

async function newKey(app: TestApp, { bearer, projectId }: Owner): Promise<string> {
  const { body } = await app
    .request()
    .post('/v1/api-keys')
    .set('Authorization', bearer)
    .send({ project_id: projectId, name: 'Limited', scopes: ['events:write'] })
    .expect(201);
  return (body as { key: string }).key;
}

describe('the rate limit of a key of the intake', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp({ env: { RATE_LIMIT_OVERRIDES: 'intake=3/3' } });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  it('is shared by the header, the bearer token and the user name that present the key', async () => {
    const key = await newKey(app, owner);
    const post = async (headers: Record<string, string>) => {
      const { status, headers: answered } = await app.request().post('/intake/json').set(headers).send({ type: 'a' });
      return [status, answered['x-ratelimit-remaining']];
    };
    const answers = [];
    for (const headers of waysOf(key)) answers.push(await post(headers));
    expect(answers).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
    ]);
    for (const headers of waysOf(key)) expect(await post(headers)).toEqual([429, '0']);
    // An unknown key of the same address is counted for the address, which has sent nothing without a key so far.
    expect(await post({ Authorization: basic(UNKNOWN) })).toEqual([401, '2']);
  });

  it.each([[PROTOBUF], [JSON_TYPE]])('answers OTLP with a status and the time to wait, from %s', async (type) => {
    const headers = { 'x-api-key': await newKey(app, owner), 'Content-Type': type };
    const send = () => sendOtlp('logs', otlpBody('logs', logsWith('a'), type), headers, app.url);
    const taken = [await send(), await send(), await send()];
    expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { code: 8, message: 'Rate limit exceeded' } });
    expect(refused.headers.get('Content-Type')).toBe(type);
    expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]\d?$/);
    expect(refused.headers.get('X-RateLimit-Policy')).toBe('intake');
  });
});

describe('the rate limit of an address of the intake', () => {
  it('counts unknown keys and requests without a key, over all routes', async () => {
    const paths = ['/intake/json', '/intake/cloudevents', '/intake/otlp/v1/logs', `/intake/hooks/${'0'.repeat(32)}`];
    const ways = [{}, ...waysOf(UNKNOWN), ...waysOf('oes_')];
    const post = async (turn: number, address = '203.0.113.7'): Promise<number> => {
      const headers = { ...ways[turn % ways.length], 'X-Forwarded-For': address };
      return (
        await deployment
          .request()
          .post(paths[turn % paths.length] ?? '')
          .set(headers)
          .send({})
      ).status;
    };
    const statuses: number[] = [];
    for (let turn = 0; turn < PER_ADDRESS; turn += 1) statuses.push(await post(turn));
    expect(new Set(statuses)).toEqual(new Set([401, 404]));
    for (let turn = 0; turn < ways.length; turn += 1) expect(await post(turn)).toBe(429);
    expect(await post(0, '203.0.113.8')).toBe(401);
  });
});
