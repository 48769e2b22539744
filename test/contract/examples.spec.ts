import type { OpenAPIObject } from '@nestjs/swagger';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from '@jest/globals';
import { clientDocument } from '../../src/openapi/client-document.js';
import { document, limits, operations } from '../support/document.js';
import { answerValidatorOf, sentValidatorOf } from '../support/documented-answers.js';

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Given {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}
interface Told {
  readonly parameters?: readonly (Given | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly content?: Record<string, Media>; readonly $ref?: string }>;
}

const JSON_TYPE = 'application/json';
/** Those of one recording are those of every other: of the first Monday of March 2026, numbered. */
const FAKE_ID = /^019cadc6-9a80-7[0-9a-f]{3}-8000-\d{12}$/;

/** With its examples, as `/docs` shows it. */
const forPeople = clientDocument(structuredClone(document) as unknown as OpenAPIObject, limits);
const told = operations.map((listed) => ({
  ...listed,
  where: `${listed.method} ${listed.path}`,
  shown: forPeople.paths[listed.path]?.[listed.method.toLowerCase() as 'get'] as unknown as Told,
}));

const shared = forPeople.components?.parameters as unknown as Readonly<Record<string, Given>>;

/** What stands in paths and queries. */
function givenTo({ parameters = [] }: Told): Given[] {
  return parameters
    .map((one) => ('$ref' in one ? (shared[one.$ref.replace(/.*\//, '')] as Given) : one))
    .filter(({ in: place }) => place === 'path' || place === 'query');
}

const successOf = <T>(responses: Record<string, T>): [status: string, response: T] => {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (found === undefined) throw new Error('an operation that never succeeds');
  return found;
};

/** The media type and the example of a body that has one, its own or one that it shares. */
function exampleIn(content: Record<string, Media> | undefined): readonly [type: string, value: unknown] | undefined {
  return Object.entries(content ?? {})
    .map(([type, { example, examples }]) => [type, example ?? sharedExample(examples?.recorded?.$ref)] as const)
    .find(([, value]) => value !== undefined);
}

function sharedExample(reference: string | undefined): unknown {
  if (reference === undefined) return undefined;
  const found = forPeople.components?.examples?.[reference.replace('#/components/examples/', '')];
  if (found === undefined || '$ref' in found) throw new Error(`${reference} leads nowhere`);
  return found.value;
}

function faultsOf(where: string, value: unknown, validate: ValidateFunction): string[] {
  if (validate(structuredClone(value))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${where} ${instancePath} ${message}`);
}

describe('the examples of the document', () => {
  it('stand at the request and at the success of every operation that has a body there', () => {
    const without = told.flatMap(({ where, shown }) => {
      const [, { content }] = successOf(shown.responses);
      return [
        ...(shown.requestBody?.required === true && exampleIn(shown.requestBody.content) === undefined
          ? [`${where} request`]
          : []),
        ...(content !== undefined && exampleIn(content) === undefined ? [`${where} answer`] : []),
      ];
    });
    expect(without).toEqual([]);
  });

  it('tell of every operation what it must be given, and of every parameter what its schema says', () => {
    const faults = told.flatMap(({ where, shown }) =>
      givenTo(shown).flatMap(({ name, required, schema, example }) => {
        if (example === undefined) return required === true ? [`${where} ${name}`] : [];
        return faultsOf(`${where} ${name}`, example, sentValidatorOf(`${where} ${name} example`, schema));
      }),
    );
    expect(faults).toEqual([]);
    const [taught, asked] = [
      told.filter(({ shown }) => givenTo(shown).length > 0),
      told.flatMap(({ shown }) => givenTo(shown)),
    ];
    expect(taught.length).toBeGreaterThan(100);
    expect(asked.filter(({ example }) => example !== undefined).length).toBeGreaterThan(asked.length / 2);
  });

  it('are what the schemas say, and have no member that they do not name', () => {
    const faults = told.flatMap(({ where, operation, shown }) => {
      const [sentType, sent] = exampleIn(shown.requestBody?.content) ?? [];
      const [status, { content }] = successOf(operation.responses);
      const [answerType, answered] = exampleIn(shown.responses[status]?.content) ?? [];
      const sentSchema = operation.requestBody?.content[sentType ?? '']?.schema;
      const answerSchema = content?.[JSON_TYPE]?.schema;
      return [
        ...(typeof sent === 'object' && sentSchema !== undefined
          ? faultsOf(`${where} request`, sent, sentValidatorOf(`${where} example`, sentSchema))
          : []),
        ...(answerType === JSON_TYPE && answerSchema !== undefined
          ? faultsOf(`${where} answer`, answered, answerValidatorOf(`${where} ${status}`, answerSchema))
          : []),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('hold no secret, no address of a machine and no identifier of a recording', () => {
    const texts = told.map(({ where, shown }) => {
      const [, { content }] = successOf(shown.responses);
      const text = JSON.stringify([
        givenTo(shown).map(({ example }) => example),
        exampleIn(shown.requestBody?.content),
        exampleIn(content),
      ]);
      return { where, text };
    });
    const found = texts.flatMap(({ where, text }) => [
      ...[...text.matchAll(/127\.0\.0\.1|localhost|\/tmp\/|oes_[0-9A-Za-z]{8}_|eyJ[\w-]{10,}\.|whsec_/g)].map(
        ([what]) => `${where} ${what}`,
      ),
      ...[...text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi)]
        .filter(([id]) => !FAKE_ID.test(id))
        .map(([id]) => `${where} ${id}`),
    ]);
    expect(found).toEqual([]);
  });

  it('stand once where operations have the same', () => {
    const own = told.flatMap(({ shown }) => {
      const [, { content }] = successOf(shown.responses);
      return [shown.requestBody?.content, content]
        .flatMap((each) => Object.values(each ?? {}))
        .flatMap(({ example }) => (example === undefined ? [] : [JSON.stringify(example)]))
        .filter((text) => text.length >= 150);
    });
    expect(own.filter((text, at) => own.indexOf(text) !== at)).toEqual([]);
    const names = Object.keys(forPeople.components?.examples ?? {});
    expect(names.length).toBeGreaterThan(3);
    const uses = [...JSON.stringify(forPeople.paths).matchAll(/"#\/components\/examples\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    for (const name of names) expect(uses.filter((each) => each === name).length).toBeGreaterThan(1);
  });

  it('stand beside what the first document says, which is without them and of which nothing is lost', () => {
    const { components } = forPeople;
    expect(Object.keys(components?.schemas ?? {})).toEqual(Object.keys(document.components.schemas));
    const references = new Set(JSON.stringify(forPeople).match(/(?<="\$ref":"#\/components\/responses\/)[^"]+/g));
    expect([...references].sort()).toEqual(Object.keys(components?.responses ?? {}).sort());
    const media = operations.flatMap(({ operation: { requestBody, responses } }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
    ]);
    expect(media.filter((each) => 'example' in each)).toEqual([]);
  });
});
