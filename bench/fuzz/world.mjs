// Two tenants with their own objects. They are created again when a request has deleted them.
import { account, projectOf } from '../service.mjs';
import { operationOf, operations } from './document.mjs';
import { valid } from './values.mjs';
import { chances } from './random.mjs';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const PASSWORD = 'fuzz-password-of-the-run';
export const INTERNAL_TOKEN = 'fuzz-internal-token-of-the-run';

/** The names of path parameters by the path before them. An `id` in an answer of that path has this name. */
const PARAMETERS = new Map(
  operations.flatMap(({ path }) =>
    [...path.matchAll(/\/\{(\w+_id)\}/g)].map(({ index, 1: name }) => [path.slice(0, index), name]),
  ),
);

const idsIn = (text) => text.match(UUID) ?? [];

async function tenant(service, number, name) {
  const email = `${name}-${number}@example.org`;
  const bearer = await account(service, email, PASSWORD);
  const call = async (path, body) => {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.json();
  };
  const slug = `${name}-${number}`;
  const organization = await call('/v1/organizations', { name: slug, slug });
  const projectId = await projectOf(service, bearer, organization.id, slug);
  const { key } = await call('/v1/api-keys', { project_id: projectId, name: slug });
  const ids = { organization_id: organization.id, project_id: projectId };
  return { email, bearer, key, projectId, ids };
}

export class World {
  password = PASSWORD;
  pools = new Map();
  /** The ids of each tenant. */
  owned = { owner: new Set(), other: new Set() };
  made = 0;

  constructor(service, sink) {
    this.service = service;
    this.sink = sink;
  }

  ids(name) {
    return this.pools.get(name) ?? [];
  }

  /** Creates two tenants, and for the first one an object of each kind that can be created. */
  async make(send) {
    this.made += 1;
    const number = `${this.made}-${process.pid}`;
    this.owner = await tenant(this.service, number, 'owner');
    this.other = await tenant(this.service, number, 'other');
    this.pools = new Map(Object.entries(this.owner.ids).map(([name, id]) => [name, [id]]));
    const chance = chances(this.made, 0);
    const first = operations.filter(({ method, path, operation }) => {
      const schema = operation.requestBody?.content['application/json'];
      return method === 'POST' && schema !== undefined && PARAMETERS.has(path);
    });
    for (const { path, operation } of [...first, ...first]) {
      const { schema } = operation.requestBody.content['application/json'];
      const body = JSON.stringify(valid(schema, chance, this));
      const headers = { 'Content-Type': 'application/json' };
      await send({ actor: 'owner', kind: 'making', method: 'POST', target: path, headers, body });
    }
    for (const { method, path, operation } of operations) {
      if (method !== 'GET' || path.includes('{') || !operation.security) continue;
      const target = `${path}?project_id=${this.owner.projectId}`;
      if (!path.endsWith('/stream')) await send({ actor: 'owner', kind: 'making', method, target, headers: {} });
    }
  }

  /** Returns whether the tenants still exist as {@link make} has created them. */
  async stands() {
    for (const { bearer, projectId, key } of [this.owner, this.other]) {
      const project = await fetch(`${this.service.url}/v1/projects/${projectId}`, {
        headers: { Authorization: `Bearer ${bearer}` },
      });
      const known = await fetch(`${this.service.url}/v1/api-keys/me`, { headers: { 'X-API-Key': key } });
      if (project.status !== 200 || (await project.json()).archived_at || known.status !== 200) return false;
    }
    return true;
  }

  headersOf(actor) {
    switch (actor) {
      case 'owner':
        return { Authorization: `Bearer ${this.owner.bearer}` };
      case 'other':
        return { Authorization: `Bearer ${this.other.bearer}` };
      case 'key':
        return { 'X-API-Key': this.owner.key };
      case 'internal':
        return { 'X-Internal-Token': INTERNAL_TOKEN };
      default:
        return {};
    }
  }

  /** Records which tenant the ids in an answer belong to. @returns the ids that belong to another tenant */
  learn({ actor, method, target, body = '' }, status, text) {
    const asked = `${decodeURIComponentOr(target)}${body}`;
    const shown = new Set(idsIn(text).filter((id) => !asked.includes(id)));
    const tenantOf = { owner: 'owner', key: 'owner', other: 'other' }[actor];
    const others =
      tenantOf === 'owner' ? [this.owned.other] : tenantOf === 'other' ? [this.owned.owner] : Object.values(this.owned);
    if (actor === 'internal') return [];
    const foreign = [...shown].filter((id) => others.some((ids) => ids.has(id)));
    if (tenantOf !== undefined && status < 300) for (const id of shown) this.owned[tenantOf].add(id);
    if (actor === 'owner' && status < 300) this.pool(operationOf(method, target)?.path, text);
    return foreign;
  }

  pool(path, text) {
    const name = PARAMETERS.get(path);
    const add = (key, id) => {
      const known = this.pools.get(key) ?? [];
      if (!known.includes(id)) this.pools.set(key, [...known.slice(-20), id]);
    };
    for (const [, key, id] of text.matchAll(/"(\w*id)":"([0-9a-f-]{36})"/g)) {
      const called = key === 'id' ? name : key;
      if (called !== undefined && called !== 'organization_id' && called !== 'project_id') add(called, id);
    }
  }
}

function decodeURIComponentOr(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
