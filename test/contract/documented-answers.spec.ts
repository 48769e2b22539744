import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DocumentedAnswers } from '../support/documented-answers.js';

const ORGANIZATION = {
  id: '0199f3a1-0000-7000-8000-000000000000',
  name: 'Acme',
  slug: 'acme',
  owner_id: '0199f3a1-0000-7000-8000-000000000001',
  created_at: '2026-01-01T00:00:00.000Z',
};

describe('holding answers against the OpenAPI document', () => {
  let server: Server;
  let answers: DocumentedAnswers;
  let answer: { status: number; body: unknown; type: string };

  beforeEach(async () => {
    answers = new DocumentedAnswers();
    server = createServer((request, response) => {
      const text = Buffer.from(JSON.stringify(answer.body));
      request.resume().once('end', () => {
        response.statusCode = answer.status;
        response.setHeader('Content-Type', answer.type);
        response.write(text.subarray(0, 5));
        response.end(text.subarray(5));
      });
    });
    answers.watch(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function faultsOf(
    route: string,
    status: number,
    body: unknown,
    type = 'application/json; charset=utf-8',
    sent?: object,
  ): Promise<readonly string[]> {
    answer = { status, body, type };
    const [method = '', path = ''] = route.split(' ');
    const { port } = server.address() as AddressInfo;
    const request = sent && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent) };
    await (await fetch(`http://127.0.0.1:${port}${path}`, { method, ...request })).arrayBuffer();
    return answers.faults;
  }

  it('finds nothing in those that are as documented', async () => {
    await faultsOf('GET /v1/organizations?x=1', 200, [ORGANIZATION]);
    await faultsOf('GET /v1/organizations', 401, { detail: 'Not authenticated' });
    await faultsOf(`GET /v1/organizations/${ORGANIZATION.id}`, 200, ORGANIZATION);
    expect(answers.faults).toEqual([]);
  });

  it('leaves out what the document says nothing of: other paths, defects', async () => {
    await faultsOf('GET /v1/no-such-thing', 404, { whatever: true });
    await faultsOf('GET /v1/organizations', 500, { detail: 'Internal server error' });
    expect(answers.faults).toEqual([]);
  });

  it('holds limits against their list', async () => {
    await faultsOf('GET /v1/logs', 429, { detail: 'Rate limit exceeded' });
    await faultsOf('GET /v1/organizations', 429, { detail: 'Too many requests at once' });
    expect(answers.faults).toEqual([]);
    await faultsOf('GET /v1/organizations', 429, { detail: 'Rate limit exceeded' });
    expect(answers.faults).toEqual(['GET /v1/organizations 429 says {"detail":"Rate limit exceeded"}']);
  });

  it('finds a status and a kind of body that are not listed', async () => {
    await faultsOf('GET /v1/organizations', 418, {});
    await faultsOf('GET /v1/organizations', 200, [ORGANIZATION], 'text/plain');
    expect(answers.faults).toEqual([
      'GET /v1/organizations 418 is not documented: {}',
      'GET /v1/organizations 200 answers text/plain, which is not documented',
    ]);
  });

  it.each([
    ['a missing field', { slug: undefined }, /\/\* must have required property 'slug'/],
    ['a wrong type', { name: 7 }, /\/\*\/name must be string/],
    ['a wrong format', { id: 'acme' }, /\/\*\/id must match format "uuid"/],
    ['a further field', { password_hash: '$argon2id$' }, /unevaluatedProperty":"password_hash"/],
  ])('finds %s in an item of a list', async (_, change, fault) => {
    const found = await faultsOf('GET /v1/organizations', 200, [ORGANIZATION, { ...ORGANIZATION, ...change }]);
    expect(found).toEqual([expect.stringMatching(fault)]);
  });

  it.each([
    ['what it is to have', {}, []],
    ['a further field', { cursor: 'x' }, [/unevaluatedProperty":"cursor"/]],
    ['no own field', { items: undefined }, [/must have required property 'items'/]],
    ['no inherited field', { total: undefined }, [/must have required property 'total'/]],
    ['another type of an inherited field', { limit: '25' }, [/\/limit must be integer/]],
  ])('finds in a page, which extends another schema, %s', async (_, change, faults) => {
    const page = { items: [], total: 0, limit: 25, offset: 0, ...change };
    const found = await faultsOf('GET /v1/account/security-events', 200, page);
    expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  it('finds in a refusal of the intake a member that only a batch of the public document has', async () => {
    const refusal = { detail: 'All events of the batch were refused', accepted: 0, rejected: 1, duplicates: 0 };
    const result = { position: 0, accepted: false, duplicate: false, detail: 'The event must be a JSON object' };
    await faultsOf('POST /intake/json', 422, { ...refusal, results: [result] });
    expect(answers.faults).toEqual([]);
    const found = await faultsOf('POST /intake/json', 422, { ...refusal, results: [{ ...result, line: 1 }] });
    expect(found).toEqual([expect.stringMatching(/\/results\/\* .*unevaluatedProperty":"line"/)]);
  });

  it('finds an error of OTLP that is no status', async () => {
    const route = 'POST /intake/otlp/v1/logs';
    await faultsOf(route, 401, { code: 16, message: 'Not authenticated' });
    await faultsOf(route, 429, { code: 8, message: 'Daily limit exceeded' });
    expect(answers.faults).toEqual([]);
    const found = await faultsOf(route, 401, { detail: 'Not authenticated' });
    expect(found).toContainEqual(expect.stringMatching(/^POST \/intake\/otlp\/v1\/logs 401 .*'message'/));
  });

  it('takes null for an optional member of a POST body for one that is left out', async () => {
    const route = 'POST /v1/events/ingest';
    await faultsOf(route, 200, {}, undefined, { event_type: 'paid', source: 'shop', event_id: null });
    expect(answers.faults.filter((fault) => fault.startsWith(`${route} sent`))).toEqual([]);
  });

  it('finds null for a required member of a POST body', async () => {
    const route = 'POST /v1/events/ingest';
    const faults = await faultsOf(route, 200, {}, undefined, { event_type: 'paid', source: null });
    expect(faults).toContain(`${route} sent  must have required property 'source' {"missingProperty":"source"}`);
  });
});
