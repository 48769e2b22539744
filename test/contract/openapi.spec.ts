import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { clientDocument } from '../../src/openapi/client-document.js';
import {
  document,
  limits,
  limitsOf,
  type Operation,
  operations,
  resolve,
  type Schema,
  whole,
} from '../support/document.js';

interface Told {
  readonly $ref?: string;
  readonly headers?: object;
  readonly content?: Record<string, { readonly schema: Schema }>;
}

const titles = (list: typeof operations): string[] => list.map(({ method, path }) => `${method} ${path}`);

/** Refusals that quote a receiver or the names of organizations, which no list has. */
const IN_WORDS_OF_OTHERS = ['POST /v1/alert-destinations/{destination_id}/test 502', 'POST /v1/account/delete 409'];

/** Whether a client can tell what it was refused for: by a sentence of a list, rows, or a reason of a named form. */
function toldBy(detail: Schema): boolean {
  if (detail.oneOf !== undefined) return detail.oneOf.every(toldBy);
  if (detail.$ref !== undefined || detail.items?.$ref === '#/components/schemas/ValidationRow') return true;
  return detail.type === 'string' && (detail.enum ?? []).length > 0;
}

describe('the OpenAPI document', () => {
  it('is what SERVICE 9 says: title, version, no servers, no global security, only the bearer scheme', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Operational Event Service API', version: '1.0.0' });
    expect(document).not.toHaveProperty('servers');
    expect(document).not.toHaveProperty('security');
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer']);
  });

  it('declares every tag with a sentence, those of operators last', () => {
    const names = document.tags.map(({ name }) => name);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
    expect([...used].filter((tag) => !names.includes(tag))).toEqual([]);
    expect(document.tags.filter(({ description }) => !/^[A-Z].+\.$/.test(description))).toEqual([]);
    expect(names.slice(-2)).toEqual(['health', 'internal']);
  });

  it('gives every operation a summary, a description in sentences and one tag', () => {
    const poor = operations.filter(
      ({ operation: { summary, description = '', tags } }) =>
        !summary || description === summary || !/^\S[\s\S]*[.)`]$/.test(description) || tags?.length !== 1,
    );
    expect(titles(poor)).toEqual([]);
  });

  it('names every enumeration', () => {
    const inline: string[] = [];
    const look = (part: unknown, place: string): void => {
      if (part === null || typeof part !== 'object') return;
      // Sentences of refusals are told where they are refused, and one value alone is a constant.
      const values = 'enum' in part && Array.isArray(part.enum) && !place.endsWith('/detail') ? part.enum : [];
      if (values.length > 1 && !/^\/components\/schemas\/\w+$/.test(place)) inline.push(place);
      for (const [key, value] of Object.entries(part)) look(value, `${place}/${key}`);
    };
    look({ components: document.components, operations }, '');
    expect(inline).toEqual([]);
  });

  it('describes every parameter and every member, where they stand or by their own types', () => {
    const isDescribed = ({ description, $ref }: { description?: string; $ref?: string }): boolean =>
      /^\S/.test(description ?? ($ref === undefined ? '' : (resolve({ $ref }).description ?? '')));
    const members = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([member, schema]) => [`${name}.${member}`, schema] as const),
    );
    expect(members.length).toBeGreaterThan(900);
    expect(members.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name)).toEqual([]);
    const parameters = operations.flatMap(({ method, path, operation }) =>
      (operation.parameters ?? []).map((parameter) => [`${method} ${path} ${parameter.name}`, parameter] as const),
    );
    expect(parameters.filter(([, parameter]) => !isDescribed(parameter)).map(([name]) => name)).toEqual([]);
  });

  it('says what classes inherit once', () => {
    const heirs = Object.entries(document.components.schemas).filter(([, { allOf }]) => allOf !== undefined);
    expect(heirs.length).toBeGreaterThan(40);
    for (const [name, { allOf = [], properties = {} }] of heirs) {
      const inherited = allOf.flatMap((base) => Object.keys(whole(base).properties ?? {}));
      expect([name, inherited.length > 0]).toEqual([name, true]);
      expect([name, Object.keys(properties).filter((member) => inherited.includes(member))]).toEqual([name, []]);
    }
    const page = whole({ $ref: '#/components/schemas/FindingsResponse' });
    expect(Object.keys(page.properties ?? {}).sort()).toEqual(['items', 'limit', 'offset', 'total']);
    expect(page.required?.sort()).toEqual(['items', 'limit', 'offset', 'total']);
  });

  it('says in words what is taken for a field that is left out, since generators would make it a required one', () => {
    expect(JSON.stringify(document)).not.toContain('"default":');
  });

  it('has every success in the schema of the lowest one, which many generators take for all', () => {
    const successesOf = ({ responses }: Operation): object[] =>
      Object.keys(responses)
        .filter((status) => /^2/.test(status))
        .toSorted()
        .flatMap((status) => responses[status]?.content?.['application/json']?.schema ?? []);
    const several = operations.map(({ operation }) => successesOf(operation)).filter(({ length }) => length > 1);
    expect(several).toHaveLength(1);
    for (const [lowest, ...others] of several)
      expect((lowest as { oneOf?: object[] }).oneOf).toEqual(expect.arrayContaining(others));
  });

  it('names the security of operations for people alone', () => {
    const forPeople = operations.filter(({ operation }) =>
      /^(bearer|organization|project|capability|platform-admin)/.test(operation['x-access']),
    );
    const secured = operations.filter(({ operation }) => operation.security !== undefined);
    expect(titles(secured)).toEqual(titles(forPeople));
    expect(secured.every(({ operation }) => JSON.stringify(operation.security) === '[{"bearer":[]}]')).toBe(true);
    const keyed = operations.filter(({ operation }) => operation['x-access'].startsWith('api-key'));
    expect(keyed.length).toBeGreaterThan(0);
    for (const { operation } of keyed) {
      expect(operation.parameters).toContainEqual(
        expect.objectContaining({ name: 'X-API-Key', in: 'header', required: true }),
      );
    }
  });

  it('types every success and refusal, and has no 429', () => {
    for (const { method, path, operation } of operations) {
      const where = `${method} ${path}`;
      const statuses = Object.keys(operation.responses);
      expect([where, statuses.includes('429')]).toEqual([where, false]);
      // A part of what 200 answers whole.
      const success = statuses.filter((status) => status.startsWith('2') && status !== '206');
      // A preview of a rule creates nothing.
      expect([where, success.length]).toEqual([where, operation.operationId === 'createAlertRule' ? 2 : 1]);
      for (const status of success.filter((each) => each !== '204'))
        expect([where, Object.keys(operation.responses[status]?.content ?? {}).length > 0]).toEqual([where, true]);
      for (const [code, response] of Object.entries(operation.responses)) {
        // What is refused is said in so many words, or by rows or a reason of a named form.
        const refusal = resolve(response.content?.['application/json']?.schema ?? {});
        if (Number(code) >= 400 && path !== '/health' && !IN_WORDS_OF_OTHERS.includes(`${where} ${code}`))
          expect([where, code, toldBy(refusal.properties?.detail ?? {})]).toEqual([where, code, true]);
      }
      if (!/^(public|provider)$/.test(operation['x-access']))
        expect([where, statuses]).toEqual([where, expect.arrayContaining(['401'])]);
      // A thing named by its own id is not found by those who are no members, and every member is a viewer.
      const isForEveryMember =
        operation['x-access'].endsWith(':viewer') &&
        operation.requestBody === undefined &&
        operation.parameters?.every(({ name }) => !/^(organization|project)_id$/.test(name));
      if (/^(organization|project|capability)/.test(operation['x-access']))
        expect([where, statuses]).toEqual([
          where,
          expect.arrayContaining(isForEveryMember === true ? ['404'] : ['403', '404']),
        ]);
      // The provider's body is read as it comes: what is wrong with it is a sentence of its own.
      const ofBody = operation['x-access'] === 'provider' ? ['400', '413', '415'] : ['413', '415', '422'];
      if (operation.requestBody !== undefined)
        expect([where, statuses]).toEqual([where, expect.arrayContaining(ofBody)]);
    }
  });

  it('tells clients of limits in sentences, and when to come again', () => {
    const { paths, components } = clientDocument(document as unknown as OpenAPIObject, limits);
    const shared = (components?.responses ?? {}) as Record<string, Told>;
    const told = (operationId: string, status: string): Told => {
      const responses = Object.values(paths)
        .flatMap((item) => Object.values(item) as { operationId: string; responses: Record<string, Told> }[])
        .find((operation) => operation.operationId === operationId)?.responses;
      const response = responses?.[status];
      return (response?.$ref === undefined ? response : shared[response.$ref.replace(/.*\//, '')]) ?? {};
    };
    for (const { operation, path } of operations) {
      if (path === '/health') continue;
      const { headers = {}, content } = told(operation.operationId, '429');
      const { enum: sentences = [] } = content?.['application/json']?.schema.properties?.detail ?? {};
      expect([path, sentences]).toEqual([path, limitsOf(operation.operationId)]);
      const hasPolicy = sentences.includes('Rate limit exceeded');
      expect([path, 'Retry-After' in headers, 'X-RateLimit-Reset' in headers]).toEqual([path, true, hasPolicy]);
      expect(Object.keys(told(operation.operationId, '503').headers ?? {})).toContain('Retry-After');
    }
    expect(limits.getHealth).toBeUndefined();
    expect(limitsOf('logIn')).toEqual([
      'Rate limit exceeded',
      'Too many failed sign-in attempts',
      'Too many requests at once',
    ]);
  });

  it('documents every path parameter, and refers to nothing that is missing', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const documented = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect([path, documented.sort()]).toEqual([path, inPath.sort()]);
    }
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const missing = [...references]
      .map(([, name = '']) => name)
      .filter((name) => document.components.schemas[name] === undefined);
    expect(missing).toEqual([]);
  });

  it('never lets a secret out by description: examples hold no keys or tokens', () => {
    expect(JSON.stringify(document)).not.toMatch(/oes_[0-9A-Za-z]{8}_|eyJ[\w-]{10,}\./);
  });
});
