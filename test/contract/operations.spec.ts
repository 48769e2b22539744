import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { controllerOf, faultsOfFreeForm, faultsOfOperationIds } from '../../scripts/contract/index.mjs';
import { document, type Operation } from '../support/document.js';

// `npm run check -- contract` calls the same functions.

const FILE = 'test/contract/operation-ids.txt';
const kept = readFileSync(new URL('operation-ids.txt', import.meta.url), 'utf8');
const fileOf = (operationId: string): string => `src/${operationId}.controller.ts`;

/** The faults after one operation of the document has changed. */
function faultsAfter(change: (operation: Operation) => void, method: string, path: string): string[] {
  const changed = structuredClone(document);
  const operation = changed.paths[path]?.[method];
  if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
  change(operation);
  return faultsOfOperationIds(changed, kept, fileOf);
}

describe('the list of operation names', () => {
  it('has the names that clients were generated from', () => {
    expect(faultsOfOperationIds(document, kept, controllerOf)).toEqual([]);
  });

  it('needs a line for a new operation', () => {
    expect(faultsOfOperationIds(document, kept.replace('GET /health getHealth\n', ''), fileOf)).toEqual([
      `${FILE}: add the line \`GET /health getHealth\` at the beginning.`,
    ]);
  });

  it('needs no line for an operation that is gone', () => {
    expect(faultsOfOperationIds(document, `${kept}GET /v1/things listThings\n`, fileOf)).toEqual([
      `${FILE}: the document has no longer \`GET /v1/things listThings\`. Remove the line if clients may break.`,
    ]);
  });

  it('has the order of the document', () => {
    const lines = kept.trimEnd().split('\n').toReversed().join('\n');
    expect(faultsOfOperationIds(document, lines, fileOf)).toEqual([
      `${FILE}: put the lines into the order of docs/api/openapi.json, each once.`,
    ]);
  });

  it('needs names that begin with a verb of their method, and a different one for each operation', () => {
    const rename = (name: string) => (operation: Operation) => {
      operation.operationId = name;
    };
    expect(faultsAfter(rename('showHealth'), 'get', '/health')).toContain(
      'src/showHealth.controller.ts: the operationId `showHealth` of a GET must begin with one of: get, list, search, stream, download.',
    );
    expect(faultsAfter(rename('health'), 'get', '/health')).toContain(
      'src/health.controller.ts: the operationId `health` must be a verb and a noun, such as `listProjects`.',
    );
    expect(faultsAfter(rename('listProjects'), 'get', '/health')).toContain(
      'src/listProjects.controller.ts: two operations have the operationId `listProjects`. Give one of them another name.',
    );
  });

  it('leads to the controllers of operations', () => {
    expect(controllerOf('getHealth')).toBe('src/modules/operations/health/health.controller.ts');
  });
});

describe('the check of free-form objects', () => {
  const LIST = 'scripts/contract/free-form.mjs';

  it('finds a reason for each object', () => {
    expect(faultsOfFreeForm(document)).toEqual([]);
  });

  it('reports new objects of schemas and operations', () => {
    const changed = structuredClone(document);
    changed.components.schemas.Thing = { type: 'object', properties: { data: { type: ['object', 'null'] } } };
    const health = changed.paths['/health']?.get;
    if (health !== undefined) health.requestBody = { content: { 'application/json': { schema: { type: 'object' } } } };
    expect(faultsOfFreeForm(changed)).toEqual([
      `${LIST}: give \`schemas/Thing/data\` a reason to be free-form, or give its members a schema in its DTO.`,
      `${LIST}: give \`operations/getHealth\` a reason to be free-form, or give its members a schema in its DTO.`,
    ]);
  });

  it('reports an object of the list that has members', () => {
    const changed = structuredClone(document);
    changed.components.schemas.Outdated = { type: 'object', properties: {} };
    expect(faultsOfFreeForm(changed)).toEqual([
      `${LIST}: remove \`schemas/Outdated\`. The document has no such free-form object.`,
    ]);
  });
});
