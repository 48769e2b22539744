// A tenant that sends the worst requests: it has a project with a key and a source, and keeps every answer.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { account } from '../service.mjs';

const CONNECTIONS = 64;
/** So many bytes of an answer's body are kept. The others are only counted. */
const KEPT_BYTES = 200_000;
/** So many characters of an answer are kept in the list of answers. */
const TOLD_CHARACTERS = 300;
const PASSWORD = 'worst-password-of-the-run';

export class Attacker {
  agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  /** `status` is 0 for an incomplete answer. `ms` is the time until the end of the answer. */
  answers = [];
  deadline = new AbortController().signal;

  constructor(service, { email, bearer, organizationId }) {
    Object.assign(this, { service, email, bearer, organizationId, password: PASSWORD });
  }

  /** Registers an account with an organization. `lift` removes the limits of the plan. */
  static async open(service, lift) {
    const email = `${word()}@example.com`;
    const one = new Attacker(service, { email, bearer: await account(service, email, PASSWORD) });
    const { id } = await one.create('/v1/organizations', { name: 'Worst', slug: word() });
    one.organizationId = id;
    await lift(id);
    return one;
  }

  /** Returns the same account with a new project, which has no data of an earlier case. */
  async inNewProject() {
    const one = new Attacker(this.service, this);
    const body = { organization_id: this.organizationId, name: 'Worst', slug: word() };
    const project = await one.create('/v1/projects', body);
    if (project === undefined) throw new Error(`no project: ${JSON.stringify(one.answers)}`);
    one.projectId = project.id;
    const source = await one.create('/v1/ingest-sources', { project_id: one.projectId, name: 'Worst' });
    Object.assign(one, { sourceId: source.id, key: source.key.key });
    one.answers = [];
    return one;
  }

  /** Connects the same account to a restarted service. */
  movedTo(service) {
    this.close();
    this.service = service;
    this.agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    return this;
  }

  /** Archives the project, so that no background work continues. */
  async leave() {
    await this.post(`/v1/projects/${this.projectId}/archive`, {}).catch(() => undefined);
    this.close();
  }

  close() {
    this.agent.destroy();
  }

  get(path) {
    return this.send('GET', path);
  }

  post(path, body, headers) {
    return this.send('POST', path, { body: JSON.stringify(body), headers });
  }

  /** Returns the created object, or undefined if the service refused it. */
  async create(path, body) {
    const { status, json } = await this.post(path, body);
    return status === 200 || status === 201 ? json() : undefined;
  }

  event(payload, more) {
    return this.ingest(JSON.stringify({ event_type: 'worst', source: 'w', payload, ...more }));
  }

  ingest(body, headers) {
    return this.send('POST', '/v1/events/ingest', { body, headers: { 'X-API-Key': this.key, ...headers } });
  }

  lines(lines) {
    return this.ingest(lines.join('\n'), { 'Content-Type': 'application/x-ndjson' });
  }

  /** Never rejects. An incomplete answer has the status 0. */
  send(method, path, { body, headers = {}, agent = this.agent, readMs } = {}) {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const kept = [];
      let [bytes, status, isOver] = [0, 0, false];
      const finish = (whole) => {
        if (isOver) return;
        isOver = true;
        const text = Buffer.concat(kept).toString('utf8');
        const ms = performance.now() - startedAt;
        const answer = { method, path: path.split('?', 1)[0], status: whole ? status : 0, bytes, ms, text };
        this.answers.push({ ...answer, text: text.slice(0, TOLD_CHARACTERS) });
        resolve({ ...answer, json: () => (text === '' ? undefined : JSON.parse(text)) });
      };
      const given = 'X-API-Key' in headers ? {} : { Authorization: `Bearer ${this.bearer}` };
      const type = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': byteLength(body) };
      const sent = request(
        this.service.url + path,
        { method, agent, headers: { ...given, ...type, ...headers }, signal: this.deadline },
        (response) => {
          status = response.statusCode;
          if (readMs !== undefined) setTimeout(() => (finish(true), sent.destroy()), readMs);
          response.on('data', (chunk) => {
            bytes += chunk.length;
            if (bytes <= KEPT_BYTES) kept.push(chunk);
          });
          response.on('end', () => finish(true)).on('error', () => finish(false));
          response.on('close', () => finish(false));
        },
      );
      sent.on('error', () => finish(false));
      sent.end(body);
    });
  }

  /** Repeats `once` on many connections until the time is over. */
  async flood(connections, ms, once) {
    const endsAt = performance.now() + ms;
    const client = async (number) => {
      for (let turn = 0; performance.now() < endsAt && !this.deadline.aborted; turn += 1) await once(number, turn);
    };
    await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
  }

  /** Waits for the background work after the answers. */
  rest(ms) {
    return pause(ms, undefined, { signal: this.deadline }).catch(() => undefined);
  }
}

function byteLength(body) {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

export function word() {
  return `w${randomBytes(8).toString('hex')}`;
}

export function times(count, make) {
  return Promise.all(Array.from({ length: count }, (_, at) => make(at)));
}
