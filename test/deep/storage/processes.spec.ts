import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import type { ProjectId } from '../../../src/modules/access/index.js';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { HeldDatabase, type Moment } from '../../support/held-database.js';
import {
  HeldRequest,
  type ObjectRecord,
  Objects,
  pathOf,
  type RawAnswer,
  sha256,
  storedFiles,
  type UploadRecord,
} from '../../support/objects.js';
import { createTestDatabase } from '../../support/postgres.js';
import { eventually, type ServiceProcess, startService } from '../../support/service-process.js';
import { openAccount } from '../../support/service-traffic.js';

afterEach(cleanUp);

const TOKEN = 'maintenance-token-of-the-storage-processes';
const PART = 5 * 1024 * 1024;
const OLD = Buffer.alloc(70_000, 'old');
const NEW = Buffer.alloc(150_000, 'new');
const OTHER = Buffer.alloc(150_000, 'other');

interface Site {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly env: Record<string, string>;
}

/** One project of an organization of its own, so that a transaction that is held keeps nobody else waiting. */
interface Tenant {
  readonly projectId: ProjectId;
  readonly bearer: string;
}

async function site(env: Record<string, string> = {}): Promise<Site> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const dataDir = await temporaryFolder();
  return {
    databaseUrl: database.url,
    dataDir,
    env: { DATA_DIR: dataDir, INTERNAL_JOB_TOKEN: TOKEN, LOG_LEVEL: 'info', ...env },
  };
}

async function heldDatabase({ databaseUrl }: Site): Promise<HeldDatabase> {
  const held = await HeldDatabase.before(databaseUrl);
  cleanups.push(() => held.close());
  return held;
}

async function tenants(here: Site, service: ServiceProcess, count: number): Promise<Tenant[]> {
  const { accessToken } = await openAccount(service.url, here.dataDir);
  const rows = (await query(
    here.databaseUrl,
    `WITH fresh AS MATERIALIZED (
       SELECT gen_random_uuid() AS organization, gen_random_uuid() AS project, n FROM generate_series(1, ${count}) AS n),
     organization AS (
       INSERT INTO organizations SELECT (jsonb_populate_record(o, jsonb_build_object('id', organization, 'slug', 'o' || n))).*
       FROM organizations o CROSS JOIN fresh),
     owner AS (
       INSERT INTO organization_members SELECT (jsonb_populate_record(m, jsonb_build_object('organization_id', organization))).*
       FROM organization_members m CROSS JOIN fresh),
     project AS (
       INSERT INTO projects
       SELECT (jsonb_populate_record(p, jsonb_build_object('id', project, 'organization_id', organization))).*
       FROM projects p CROSS JOIN fresh),
     member AS (
       INSERT INTO project_members SELECT (jsonb_populate_record(m, jsonb_build_object('project_id', project))).*
       FROM project_members m CROSS JOIN fresh)
     SELECT project AS "projectId" FROM fresh`,
  )) as { projectId: ProjectId }[];
  return rows.map(({ projectId }) => ({ projectId, bearer: `Bearer ${accessToken}` }));
}

const objectsOf = (service: ServiceProcess, tenant: Tenant): Objects =>
  new Objects({ request: () => supertest.agent(service.url) }, tenant);

const maintain = (service: ServiceProcess): supertest.Test =>
  supertest(service.url).post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN);

async function kill(service: ServiceProcess): Promise<void> {
  service.signal('SIGKILL');
  await service.exited;
}

/** As if so much time had gone by that everybody who died is known to be dead. */
async function leasesEnd({ databaseUrl }: Site): Promise<void> {
  await query(
    databaseUrl,
    `UPDATE stored_blobs SET due_at = now() - interval '1 second' WHERE state = 'writing' AND upload_token IS NULL;
     UPDATE object_uploads SET claim_expires_at = now() - interval '1 second' WHERE claim IS NOT NULL;
     UPDATE object_upload_parts SET lease_expires_at = now() - interval '1 second' WHERE state = 'writing'`,
  );
}

async function readersEnd({ databaseUrl }: Site): Promise<void> {
  await query(databaseUrl, `UPDATE stored_blobs SET due_at = now() - interval '1 second' WHERE state = 'doomed'`);
}

/** What is counted is what there is. */
async function expectCounted({ databaseUrl }: Site): Promise<void> {
  const wrong = await query(
    databaseUrl,
    `SELECT * FROM (
       SELECT t.organization_id AS id, t.stored, t.objects, t.reserved, coalesce(o.stored, 0) AS really,
              coalesce(o.objects, 0) AS many, coalesce(w.reserved, 0) AS open
       FROM storage_totals t
       LEFT JOIN (SELECT organization_id, sum(size) AS stored, count(*) AS objects FROM stored_objects GROUP BY 1) o
         USING (organization_id)
       LEFT JOIN (SELECT organization_id, sum(size) AS reserved FROM stored_blobs WHERE state = 'writing' GROUP BY 1) w
         USING (organization_id)
       UNION ALL
       SELECT t.project_id, t.stored, t.objects, 0, coalesce(o.stored, 0), coalesce(o.objects, 0), 0
       FROM project_storage_totals t
       LEFT JOIN (SELECT project_id, sum(size) AS stored, count(*) AS objects FROM stored_objects GROUP BY 1) o
         USING (project_id)) AS counted
     WHERE stored <> really OR objects <> many OR reserved <> open`,
  );
  expect(wrong).toEqual([]);
}

/** The store holds the contents of objects, and nothing else. */
async function expectKept({ databaseUrl, dataDir }: Site): Promise<void> {
  const rows = (await query(
    databaseUrl,
    `SELECT b.id, b.state, b.size::float8, o.blob_id FROM stored_blobs b FULL JOIN stored_objects o ON o.blob_id = b.id`,
  )) as { id: string; state: string; size: number; blob_id: string | null }[];
  expect(rows.filter(({ id, state, blob_id: blobId }) => state !== 'live' || blobId !== id)).toEqual([]);
  const files = [...(await storedFiles(dataDir))].map(([path, size]) => [path.split('/').at(-1), size]);
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(rows.map(({ id, size }) => [id, size])));
}

async function expectContent(objects: Objects, id: string, content: Buffer): Promise<void> {
  const { body } = await objects.get(`objects/${id}`).expect(200);
  const { download_url: url, sha256: digest, size } = body as ObjectRecord & { download_url: string };
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(sha256(bytes)).toBe(sha256(content));
  expect(size).toBe(content.length);
  if (digest !== null) expect(digest).toBe(sha256(content));
}

/** Something that dies in the middle, and what is true afterwards. */
interface Death {
  /** Where the service stops on its behalf. */
  readonly at: Moment | 'half of the bytes';
  /** Prepares it. `dying` is on its way when the service dies, `after` is what is true then. */
  begin(
    objects: Objects,
    url: string,
  ): Promise<{ dying: () => Promise<unknown>; after: (objects: Objects) => Promise<void> }>;
}

const PATH = '/v1/core/objects?key=a&overwrite=true&project_id=';

/** Overwrites an object in one request. */
function overwriting(at: Death['at'], left: Buffer): (tenant: Tenant) => Death {
  return ({ projectId, bearer }) => ({
    at,
    begin: async (objects, url) => {
      const { id } = await objects.stored('a', OLD);
      return {
        dying: () => sending(url + PATH + projectId, { Authorization: bearer }, at),
        after: async (later) => {
          expect((await later.list().expect(200)).body).toMatchObject({
            items: [{ id, version: left === OLD ? 1 : 2 }],
          });
          await expectContent(later, id, left);
          await later.stored('a', OTHER, { overwrite: 'true' });
          await expectContent(later, id, OTHER);
        },
      };
    },
  });
}

/** Sends new content, or half of it and nothing more. */
async function sending(url: string, headers: Record<string, string>, at: Death['at'], method = 'POST'): Promise<void> {
  const request = new HeldRequest(url, { method, headers: { ...headers, 'Content-Length': String(NEW.length) } });
  if (at === 'half of the bytes') await request.write(NEW.subarray(0, NEW.length / 2));
  else void request.end(NEW);
  await request.answer;
}

const beginning = (at: Moment) => (): Death => ({
  at,
  begin: (objects) =>
    Promise.resolve({
      dying: async () => objects.begin({ key: 'a', size: NEW.length }),
      after: async (later) => {
        expect((await later.list().expect(200)).body).toMatchObject({ items: [] });
        await later.stored('a', NEW);
      },
    }),
});

/** Sends a part for the second time. */
const sendingPart = (at: Death['at'], left: Buffer) => (): Death => ({
  at,
  begin: async (objects) => {
    const upload = await objects.begun({ key: 'a', size: NEW.length });
    await objects.part(upload, 1, OTHER).expect(200);
    return {
      dying: () => sending(upload.parts[0]?.url ?? '', {}, at, 'PUT'),
      after: async (later) => expectCompleted(later, upload, left),
    };
  },
});

/** Sends a part for the first time; it is sent again afterwards. */
const sendingFirstPart = (at: Death['at']) => (): Death => ({
  at,
  begin: async (objects) => {
    const upload = await objects.begun({ key: 'a', size: NEW.length });
    return {
      dying: () => sending(upload.parts[0]?.url ?? '', {}, at, 'PUT'),
      after: async (later) => {
        await later.complete(upload).expect(409);
        await later.part(upload, 1, OTHER).expect(200);
        await expectCompleted(later, upload, OTHER);
      },
    };
  },
});

/** Once it is on record that somebody completes it, no part is taken any more. */
const completing =
  (at: Moment, left = NEW) =>
  (): Death => ({
    at,
    begin: async (objects) => {
      const upload = await objects.begun({ key: 'a', size: NEW.length });
      await objects.part(upload, 1, OTHER).expect(200);
      await objects.part(upload, 1, NEW).expect(200);
      return {
        dying: async () => objects.complete(upload),
        after: async (later) => {
          const { status } = await later.part(upload, 1, OTHER);
          expect(left === NEW ? [409, 503] : [200]).toContain(status);
          await expectCompleted(later, upload, left);
        },
      };
    },
  });

const deleting = (at: Moment, isGone: boolean) => (): Death => ({
  at,
  begin: async (objects) => {
    const { id } = await objects.stored('a', OLD);
    return {
      dying: async () => objects.remove(id),
      after: async (later) => {
        if (isGone) await later.remove(id).expect(404);
        else await expectContent(later, id, OLD);
      },
    };
  },
});

async function expectCompleted(objects: Objects, upload: UploadRecord, content: Buffer): Promise<void> {
  const completed = (await objects.complete(upload).expect(200)).body as ObjectRecord;
  expect((await objects.complete(upload).expect(200)).body).toEqual(completed);
  await expectContent(objects, completed.id, content);
}

const NEW_BLOB = 'INSERT INTO stored_blobs';
const SETTLED = `SET state = 'live'`;
const PART_DONE = `SET state = 'complete'`;
const CLAIMED = 'UPDATE object_uploads SET claim =';
const ASSEMBLED = 'SET assembled_at';
const COMPLETED = `SET status = 'completed'`;
const DELETED = 'DELETE FROM "stored_objects"';

const DEATHS: ((tenant: Tenant) => Death)[] = [
  overwriting({ statement: NEW_BLOB, at: 'statement' }, OLD),
  overwriting({ statement: NEW_BLOB, at: 'committed' }, OLD),
  overwriting('half of the bytes', OLD),
  overwriting({ statement: SETTLED, at: 'statement' }, OLD),
  overwriting({ statement: SETTLED, at: 'commit' }, OLD),
  overwriting({ statement: SETTLED, at: 'committed' }, NEW),
  beginning({ statement: NEW_BLOB, at: 'committed' }),
  beginning({ statement: 'SET upload_token', at: 'statement' }),
  beginning({ statement: 'SET upload_token', at: 'commit' }),
  sendingFirstPart('half of the bytes'),
  sendingFirstPart({ statement: PART_DONE, at: 'commit' }),
  sendingPart('half of the bytes', OTHER),
  sendingPart({ statement: PART_DONE, at: 'statement' }, OTHER),
  sendingPart({ statement: PART_DONE, at: 'committed' }, NEW),
  completing({ statement: CLAIMED, at: 'commit' }, OTHER),
  completing({ statement: CLAIMED, at: 'committed' }),
  completing({ statement: ASSEMBLED, at: 'statement' }),
  completing({ statement: SETTLED, at: 'statement' }),
  completing({ statement: COMPLETED, at: 'commit' }),
  completing({ statement: COMPLETED, at: 'committed' }),
  deleting({ statement: DELETED, at: 'commit' }, false),
  deleting({ statement: DELETED, at: 'committed' }, true),
];

describe('objects of a service that is killed', () => {
  it('are whole or not there, whatever was being done, and nothing stays behind', async () => {
    const here = await site({ DATABASE_POOL_SIZE: '48' });
    const held = await heldDatabase(here);
    const first = await startService({ env: { ...here.env, DATABASE_URL: held.url } });
    const all = await tenants(here, first, DEATHS.length + 2);
    const [removed, ...others] = all as [Tenant, ...Tenant[]];
    await objectsOf(first, removed).stored('a', OLD);
    await objectsOf(first, removed).begun({ key: 'b', size: 1000 });
    const dead: { outcome: Promise<string>; after: (objects: Objects) => Promise<void>; tenant: Tenant }[] = [];
    for (const [index, deathOf] of DEATHS.entries()) {
      const tenant = others[index]!;
      const death = deathOf(tenant);
      const { at } = death;
      const { dying, after } = await death.begin(objectsOf(first, tenant), first.url);
      const reached = at === 'half of the bytes' ? undefined : held.hold(at);
      const outcome = dying().then(
        () => 'answered',
        () => 'lost',
      );
      dead.push({ outcome, after, tenant });
      const early = outcome.then((how) => Promise.reject(new Error(`${how} at ${JSON.stringify(at)}`)));
      early.catch(() => undefined);
      await Promise.race([reached ?? writes(here, tenant), early]);
    }
    await kill(first);
    expect(await Promise.all(dead.map(({ outcome }) => outcome))).toEqual(dead.map(() => 'lost'));

    const gate = await heldDatabase(here);
    const second = await startService({ env: { ...here.env, DATABASE_URL: gate.url } });
    await leasesEnd(here);
    await maintain(second).expect(200);
    for (const { after, tenant } of dead) await after(objectsOf(second, tenant));

    // Whoever sweeps dies when the bytes are gone and the rows are not, and another one goes on.
    await readersEnd(here);
    const swept = gate.hold({ statement: 'what the store has forgotten', at: 'statement' });
    maintain(second).then(undefined, () => undefined);
    await swept;
    await kill(second);

    const again = await heldDatabase(here);
    const third = await startService({ env: { ...here.env, DATABASE_URL: again.url } });
    await query(
      here.databaseUrl,
      `UPDATE projects SET deleted_at = now() - interval '2 minutes', archived_at = now() - interval '2 minutes'
       WHERE id = '${removed.projectId}'`,
    );
    const forgotten = again.hold({ statement: 'DELETE FROM stored_objects', at: 'commit' });
    maintain(third).then(undefined, () => undefined);
    await forgotten;
    await kill(third);

    const last = await startService({ env: { ...here.env, DATABASE_URL: here.databaseUrl } });
    const left = async (): Promise<unknown[]> => {
      await readersEnd(here);
      await maintain(last).expect(200);
      return query(
        here.databaseUrl,
        `SELECT id FROM stored_blobs WHERE state <> 'live' UNION ALL SELECT id FROM projects WHERE id = '${removed.projectId}'`,
      );
    };
    await eventually(left, (rows) => rows.length === 0);
    await expectCounted(here);
    await expectKept(here);
  });
});

const CONNECTIONS = 64;

/** So many at once, over as many connections to several processes, until each of them was asked for once. */
async function race<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      answers[index] = await act(index);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return answers;
}

const count = (answers: readonly { status: number }[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

describe('quotas over two processes', () => {
  it('are kept to the byte, by many who store and read at once, and a small heap is enough', async () => {
    const here = await site({ STORAGE_LIMITS: 'free=1MB/400KB/1MB,enterprise=-/-/-' });
    const env = { ...here.env, DATABASE_URL: here.databaseUrl };
    const services = await Promise.all([
      startService({ env }),
      startService({ env: { ...env, NODE_OPTIONS: '--max-old-space-size=128' } }),
    ]);
    const [one, small] = services;
    const [tenant, heavy, quiet] = (await tenants(here, one, 3)) as [Tenant, Tenant, Tenant];
    const [objects, another] = [objectsOf(one, tenant), objectsOf(small, tenant)];
    const either = (index: number): Objects => (index % 2 === 0 ? objects : another);

    // 104 times 10,000 bytes are 8,576 less than a MiB. Some say how many they are, and some do not.
    const put = (index: number): Promise<{ status: number }> =>
      index % 5 === 0
        ? chunked(index, services[index % 2]!.url, tenant)
        : either(index).put(`k${index}`, Buffer.alloc(10_000));
    const stored = await race(128, put);
    expect(stored.map(({ status }) => status).filter((status) => status !== 201 && status !== 403)).toEqual([]);
    // Who does not say how many is counted from the first step on, so the last free bytes may be between two of them.
    for (let index = 200; (await either(index).put(`k${index}`, Buffer.alloc(10_000))).status === 201;) index += 1;
    await expectCounted(here);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 1_040_000, bytes_reserved: 0, objects: 104 });
    const last = await race(32, (index) => either(index).put(`last${index}`, Buffer.alloc(8_576)));
    expect([count(last, 201), count(last, 403)]).toEqual([1, 31]);
    await another.put('one more', 'x').expect(403);

    const [item] = ((await objects.list({ limit: 1 }).expect(200)).body as { items: ObjectRecord[] }).items;
    const link = await objects.link(item!.id);
    const range = 'bytes=0-8191';
    const read = await race(128, (index) =>
      supertest(services[index % 2]!.url)
        .get(link)
        .set('Range', range),
    );
    expect([count(read, 206), count(read, 403)]).toEqual([50, 78]);
    expect((await objects.usage()).bandwidth).toMatchObject({ bytes_used: 400 * 1024, bytes_remaining: 0 });

    // Overwrites, renames and ends of the same few, by everybody.
    const { items } = (await objects.list({ limit: 16 }).expect(200)).body as { items: ObjectRecord[] };
    const changed = await race(160, async (index) => {
      const { id, key } = items[index % 16]!;
      if (index % 4 === 0) return either(index).put(key, Buffer.alloc(index * 40), { overwrite: 'true' });
      if (index % 4 === 1) return either(index).change(id, { key: items[(index * 7) % 16]!.key });
      if (index % 4 === 2) return either(index).put(`${key}-${index}`, Buffer.alloc(5_000));
      return index < 80 ? either(index).change(id, { metadata: { index: `${index}` } }) : either(index).remove(id);
    });
    expect(changed.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await expectCounted(here);

    // Many parts at once take no memory of their own, also of a process that has little; beside them all goes on.
    await query(here.databaseUrl, `UPDATE organizations SET plan = 'enterprise'`);
    const parts = 50;
    const upload = await objectsOf(small, heavy).begun({ key: 'a', size: parts * PART, part_size: PART });
    const before = await memory(small);
    const slow = await Promise.all(
      upload.parts.map(async ({ url }) => {
        const headers = { 'Content-Length': String(PART) };
        const request = new HeldRequest(small.url + pathOf(url), { method: 'PUT', headers });
        await request.write(Buffer.alloc(1_024, 1));
        return request;
      }),
    );
    await objectsOf(small, quiet).stored('beside', 'them');
    const rest = Buffer.alloc(PART - 1_024, 1);
    const taken = await Promise.all(slow.map((request) => request.end(rest)));
    expect(count(taken, 200)).toBe(parts);
    expect((await memory(small)) - before).toBeLessThan(100 * 1024 * 1024);
    await objectsOf(small, heavy).complete(upload).expect(200);
    await expectCounted(here);
  });
});

/** Content that comes without its length being told before. */
async function chunked(index: number, url: string, { projectId, bearer }: Tenant): Promise<RawAnswer> {
  const request = new HeldRequest(`${url}/v1/core/objects?project_id=${projectId}&key=k${index}`, {
    headers: { Authorization: bearer },
  });
  await request.write(Buffer.alloc(5_000));
  return request.end(Buffer.alloc(5_000));
}

/** The most it has had so far, in bytes. */
async function memory({ pid }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

/** Half of the bytes have come: something of the tenant is being written. */
async function writes({ databaseUrl }: Site, { projectId }: Tenant): Promise<void> {
  await eventually(
    () =>
      query(
        databaseUrl,
        `SELECT 1 FROM stored_blobs WHERE project_id = '${projectId}' AND state = 'writing' AND upload_token IS NULL
         UNION ALL SELECT 1 FROM object_upload_parts p JOIN object_uploads u ON u.id = p.upload_id
         WHERE u.project_id = '${projectId}' AND p.state = 'writing'`,
      ),
    (rows) => rows.length > 0,
  );
}
