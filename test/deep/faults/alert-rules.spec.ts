import { readFileSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { parse } from 'yaml';
import { eventStore, FaultyServer, testClickHouse } from '../../support/clickhouse.js';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { askProgram } from '../../support/programs/ask.js';
import { type AlertRule, Prometheus, type RuleGroups } from '../../support/prometheus.js';
import { hasRedis, testRedisUrl } from '../../support/redis.js';
import { eventually, type ServiceProcess, startService, startWorker } from '../../support/service-process.js';
import { type Account, call, ingestMessage, openAccount } from '../../support/service-traffic.js';

/** A test waits for seconds where an operator waits for minutes. */
const SPEED = 60;
const SECONDS_OF = { s: 1, m: 60, h: 3_600 } as const;
/** More than the threshold of `OesIngestBacklog`, and less than where the service refuses events. */
const [LINES, SENDERS] = [1_000, 16];
/** More than the threshold of `OesIngestQueueGrows`. */
const QUEUED_REQUESTS = 10_001;

const rules = parse(
  readFileSync(new URL('../../../docs/operations/alerts.yaml', import.meta.url), 'utf8'),
) as RuleGroups;

/**
 * Divides the times of a rule by {@link SPEED}: `for`, ranges, offsets, and thresholds of aggregated values in whole
 * seconds. The p99 of the event loop, which is not aggregated, keeps its threshold, as do ratios and counts.
 */
function faster(rule: AlertRule): AlertRule {
  const divided = (time: string): string =>
    time.replaceAll(
      /(\d+)([smh])/g,
      (_, count: string, unit: keyof typeof SECONDS_OF) => `${(Number(count) * SECONDS_OF[unit] * 1_000) / SPEED}ms`,
    );
  const expr = rule.expr
    .replaceAll(/\[\d+[smh]\]|offset \d+[smh]/g, divided)
    .replaceAll(/(_seconds\{[^}]*\}\) > )(\d+)\b/g, (_, start: string, seconds: string) => {
      return `${start}${Number(seconds) / SPEED}`;
    });
  return { ...rule, expr, ...(rule.for !== undefined && { for: divided(rule.for) }) };
}

/** The processes of one deployment, which share a database. */
interface Site {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly auditFile: string;
  readonly api: ServiceProcess;
  /** Has two connections for requests. */
  readonly narrow: ServiceProcess;
  readonly paused: ServiceProcess;
  /** Stores events by way of Redis. Null without Redis. */
  readonly queued: ServiceProcess | null;
  readonly worker: ServiceProcess;
  readonly account: Account;
  /** Sends many events, which use up its quota. */
  readonly sender: Account;
  readonly clickHouse: FaultyServer | null;
  readonly prometheus: Prometheus;
}

type Repair = () => Promise<unknown>;

interface Fault {
  readonly alert: string;
  readonly fault: string;
  /** The labels by which the alert of this fault differs from others. */
  readonly labels?: (site: Site) => Readonly<Record<string, string>>;
  /** Causes the fault, which lasts. Returns its repair when the test waits for the end of the alert. */
  readonly begin: (site: Site) => Promise<Repair | undefined>;
}

function operationsUrl({ stdout }: ServiceProcess): string {
  const url = /"operations_url":"(http:[^"]+)"/.exec(stdout)?.[1];
  if (url === undefined) throw new Error(`the service has no operations port:\n${stdout}`);
  return url;
}

const instance = (process: ServiceProcess): string => new URL(operationsUrl(process)).host;

async function metricsOf(process: ServiceProcess): Promise<string> {
  return (await fetch(`${operationsUrl(process)}/metrics`)).text();
}

/** Repeats requests on so many connections. Answers and failures do not matter. @returns a function that ends it */
function repeatedly(connections: number, send: () => Promise<Response>, pauseMs = 50): () => Promise<void> {
  let isOver = false;
  const one = async (): Promise<void> => {
    while (!isOver) {
      await send()
        .then((answer) => answer.text())
        .catch(() => undefined);
      await delay(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, one)).then(() => undefined);
  const end = (): Promise<void> => {
    isOver = true;
    return all;
  };
  cleanups.push(() => {
    isOver = true;
    return Promise.resolve();
  });
  return end;
}

/** Locks a table until the returned function is called. */
async function lock({ databaseUrl }: Site, table: string, mode: string): Promise<Repair> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  cleanups.push(() => client.end());
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${table} IN ${mode} MODE`);
  return () => client.query('COMMIT');
}

/** Sends a request as the owner of the project. */
async function asOwner<T = { id: string }>(
  { api, account }: Pick<Site, 'api' | 'account'>,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await call(api.url, {
    method,
    path,
    headers: { Authorization: `Bearer ${account.accessToken}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}

/** Creates a rule that fires on an event of this type. */
function createRule(
  site: Pick<Site, 'api' | 'account'>,
  eventType: string,
  more: object = {},
): Promise<{ id: string }> {
  return asOwner(site, 'POST', '/v1/alert-rules', {
    project_id: site.account.projectId,
    name: eventType,
    severity: 'critical',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: eventType }] },
    ...more,
  });
}

function createDestination(site: Pick<Site, 'api' | 'account'>, name: string): Promise<{ id: string }> {
  const project = { project_id: site.account.projectId, type: 'webhook' };
  return asOwner(site, 'POST', '/v1/alert-destinations', { ...project, name, target_url: 'http://127.0.0.1:9/' });
}

async function sendEvent(
  { account }: Pick<Site, 'account'>,
  process: ServiceProcess,
  eventType: string,
): Promise<void> {
  const message = ingestMessage(account, eventType);
  const body = JSON.stringify({ event_type: eventType, source: 'shop' });
  expect((await call(process.url, { ...message, body })).status).toBe(200);
}

/** The worker stays alive during these faults. They are caused one after another, in this order. */
const FAULTS: readonly Fault[] = [
  {
    alert: 'OesNoticesWithoutReceiver',
    fault: 'the only destination of a rule is disabled',
    begin: async (site) => {
      const { id } = await createDestination(site, 'disabled');
      await createRule(site, 'unheard', { destination_ids: [id] });
      await asOwner(site, 'POST', `/v1/alert-destinations/${id}/disable`);
      await sendEvent(site, site.api, 'unheard');
      await eventually(
        () => metricsOf(site.worker),
        (text) => text.includes('oes_alert_notices_to_nobody_total'),
      );
      return undefined;
    },
  },
  {
    alert: 'OesRulesSkipped',
    fault: 'the alert of an event cannot be stored',
    begin: async (site) => {
      await query(
        site.databaseUrl,
        `CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
           IF NEW.rule_name = 'poison' THEN RAISE EXCEPTION 'poison' USING ERRCODE = '22000'; END IF;
           RETURN NEW;
         END $$`,
      );
      await query(
        site.databaseUrl,
        'CREATE TRIGGER poison BEFORE INSERT ON alert_events FOR EACH ROW EXECUTE FUNCTION refuse_poison()',
      );
      await createRule(site, 'poison');
      const headers = { 'X-API-Key': site.account.apiKey, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ event_type: 'poison', source: 'shop' });
      const url = `${site.api.url}/v1/events/ingest`;
      const end = repeatedly(1, () => fetch(url, { method: 'POST', headers, body }), 2_000);
      await eventually(
        () => metricsOf(site.worker),
        (text) => text.includes('oes_alert_rule_skipped_total'),
      );
      return async () => {
        await end();
        await query(site.databaseUrl, 'DROP TRIGGER poison ON alert_events');
      };
    },
  },
  {
    alert: 'OesEventCopyLate',
    fault: 'ClickHouse is stopped',
    begin: async (site) => {
      await site.clickHouse?.goAway();
      await sendEvent(site, site.api, 'copied');
      return async () => site.clickHouse?.comeBack();
    },
  },
  {
    alert: 'OesAuditSinkLate',
    fault: 'the disk of the audit file is full',
    begin: async (site) => {
      await rm(site.auditFile, { force: true });
      await symlink('/dev/full', site.auditFile);
      await createDestination(site, 'audited');
      return undefined;
    },
  },
  {
    alert: 'OesJobFails',
    fault: 'the table of a job is renamed',
    labels: () => ({ name: 'alert-deliveries' }),
    begin: async (site) => {
      await query(site.databaseUrl, 'ALTER TABLE alert_deliveries RENAME TO alert_deliveries_away');
      return () => query(site.databaseUrl, 'ALTER TABLE alert_deliveries_away RENAME TO alert_deliveries');
    },
  },
  {
    alert: 'OesMetricsUnreadable',
    fault: 'the table that the metric counts is renamed, as for OesJobFails',
    labels: () => ({ metric: 'oes_alert_delivery_backlog' }),
    begin: () => Promise.resolve(() => Promise.resolve()),
  },
  {
    alert: 'OesObjectStoreDown',
    fault: 'the folder of objects is gone',
    begin: async ({ dataDir }) => {
      const [folder, away] = [join(dataDir, 'objects'), join(dataDir, 'away')];
      await rename(folder, away);
      return () => rename(away, folder);
    },
  },
  {
    alert: 'OesRequestsFail',
    fault: 'the database refuses the statements of a route',
    begin: async ({ databaseUrl, api, account }) => {
      await query(databaseUrl, 'ALTER TABLE saved_views RENAME TO saved_views_away');
      repeatedly(4, () =>
        fetch(`${api.url}/v1/projects/${account.projectId}/saved-views`, {
          headers: { Authorization: `Bearer ${account.accessToken}` },
        }),
      );
      await eventually(
        () => metricsOf(api),
        (text) =>
          text
            .split('\n')
            .some((line) => /^oes_http_request_duration_seconds_count\{.*saved-views.*status="5/.test(line)),
      );
      return () => query(databaseUrl, 'ALTER TABLE saved_views_away RENAME TO saved_views');
    },
  },
  {
    alert: 'OesWorkDropped',
    fault: 'the table of refused requests is locked while many are refused',
    labels: () => ({ lane: 'record' }),
    begin: async (site) => {
      const source = await asOwner<{ id: string; key: { key: string } }>(site, 'POST', '/v1/ingest-sources', {
        project_id: site.account.projectId,
        name: 'Disabled',
      });
      await asOwner(site, 'POST', `/v1/ingest-sources/${source.id}/disable`);
      const release = await lock(site, 'ingestion_failures', 'ACCESS EXCLUSIVE');
      const { path, ...refused } = ingestMessage({ ...site.account, apiKey: source.key.key }, 'refused');
      const end = repeatedly(4, () => fetch(site.api.url + path, refused));
      return async () => {
        await end();
        await release();
      };
    },
  },
  {
    alert: 'OesDatabasePoolFull',
    fault: 'a lock holds all connections of a small pool',
    labels: ({ narrow }) => ({ instance: instance(narrow) }),
    begin: async (site) => {
      const release = await lock(site, 'project_secrets', 'ACCESS EXCLUSIVE');
      const end = repeatedly(8, () =>
        fetch(`${site.narrow.url}/v1/secrets?project_id=${site.account.projectId}`, {
          headers: { Authorization: `Bearer ${site.account.accessToken}` },
        }),
      );
      return async () => {
        await release();
        await end();
      };
    },
  },
  {
    alert: 'OesEventLoopSlow',
    fault: 'the process gets no processor most of the time',
    labels: ({ paused }) => ({ instance: instance(paused) }),
    begin: ({ paused }) => {
      const over = new AbortController();
      const pauses = (async () => {
        while (!over.signal.aborted && paused.isRunning) {
          paused.signal('SIGSTOP');
          await delay(800);
          paused.signal('SIGCONT');
          await delay(200);
        }
      })();
      const end = (): Promise<void> => {
        over.abort();
        return pauses;
      };
      cleanups.push(end);
      return Promise.resolve(end);
    },
  },
  {
    alert: 'OesIngestBacklog',
    fault: 'a lock keeps events from being stored',
    begin: async (site) => {
      const release = await lock(site, 'usage_daily', 'SHARE');
      const line = JSON.stringify({ event_type: 'order.paid', source: 'shop' });
      const body = Array.from({ length: LINES }, () => line).join('\n');
      const headers = { 'X-API-Key': site.sender.apiKey, 'Content-Type': 'application/x-ndjson' };
      const end = repeatedly(SENDERS, () =>
        fetch(`${site.api.url}/v1/events/ingest`, { method: 'POST', headers, body }),
      );
      return async () => {
        const ended = end();
        await release();
        await ended;
      };
    },
  },
];

/** These faults begin when the only worker has been killed. */
const FAULTS_OF_DEAD_WORKER: readonly Fault[] = [
  {
    alert: 'OesDown',
    fault: 'a process is killed',
    labels: ({ worker }) => ({ instance: instance(worker) }),
    begin: () => Promise.resolve(undefined),
  },
  { alert: 'OesJobsStopped', fault: 'the only worker is killed', begin: () => Promise.resolve(undefined) },
  {
    alert: 'OesDeliveriesLate',
    fault: 'a retry comes due and the only worker is killed',
    begin: async ({ databaseUrl }) => {
      await query(databaseUrl, 'UPDATE alert_deliveries SET due_at = now() WHERE due_at IS NOT NULL');
      return undefined;
    },
  },
  {
    alert: 'OesIngestQueueGrows',
    fault: 'requests are accepted and the only worker is killed',
    begin: async (site) => {
      if (site.queued === null) return undefined;
      await sendEvent(site, site.queued, 'queued');
      // Copies of an accepted request are the same to the metric as requests, and take less time.
      const redis = new Redis(testRedisUrl());
      try {
        const [accepted] = await redis.xrange('{ingest}:requests', '-', '+', 'COUNT', 1);
        if (accepted === undefined) throw new Error('the queue is empty');
        const [, fields] = accepted;
        const copies = redis.pipeline();
        for (let copy = 0; copy < QUEUED_REQUESTS; copy += 1) copies.xadd('{ingest}:requests', '*', ...fields);
        await copies.exec();
      } finally {
        redis.disconnect();
      }
      return undefined;
    },
  },
];

const program = await askProgram<{ path: string }>('prometheus');
const clickHouse = await testClickHouse();
/** The rules whose fault needs a program that this machine does not have, with the reason. */
const leftOut = new Map<string, string>([
  ...('absent' in clickHouse ? [['OesEventCopyLate', clickHouse.absent] as const] : []),
  ...(hasRedis ? [] : [['OesIngestQueueGrows', 'it needs Redis'] as const]),
]);

async function startSite(prometheusPath: string): Promise<Site> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const dataDir = await temporaryFolder();
  const auditFile = join(dataDir, 'audit.ndjson');
  const server = 'absent' in clickHouse ? null : await FaultyServer.before(clickHouse);
  const store = 'absent' in clickHouse ? null : await eventStore(clickHouse, server?.url);
  if (server !== null) cleanups.push(() => server.goAway());
  if (store !== null) cleanups.push(() => store.drop());
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    // Takes the next free port after the default.
    OPS_PORT: '',
    OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
    DELIVERY_RETRY_POLL_SECONDS: '1',
    LOG_LEVEL: 'info',
    ...store?.env,
  };
  let redis = {};
  if (hasRedis) {
    redis = { REDIS_URL: testRedisUrl(), QUEUE_BACKEND: 'postgres', RATE_LIMIT_BACKEND: 'memory' };
    const client = new Redis(testRedisUrl());
    await client.flushdb();
    client.disconnect();
  }
  const startApi = (more: object = {}): Promise<ServiceProcess> =>
    startService({ env: { ...env, PROCESS_ROLE: 'api', ...more } });
  const api = await startApi();
  const [narrow, paused, queued, worker] = await Promise.all([
    startApi({ DATABASE_POOL_SIZE: '2' }),
    startApi(),
    hasRedis ? startApi({ ...redis, INGEST_MODE: 'queued' }) : null,
    startWorker({ ...env, ...redis, AUDIT_SINK: 'file', AUDIT_FILE: auditFile }),
  ]);
  const account = await openAccount(api.url, dataDir);
  const sender = await openAccount(api.url, dataDir);
  const site = { databaseUrl: database.url, dataDir, auditFile, api, narrow, paused, queued, worker, account, sender };
  const { id } = await createDestination(site, 'refuses connections');
  await createRule(site, 'heard', { destination_ids: [id] });
  await sendEvent(site, api, 'heard');
  // The retry waits until the worker has been killed.
  await eventually(
    () =>
      query(
        database.url,
        `UPDATE alert_deliveries SET due_at = now() + interval '1 day'
         WHERE retry_count > 0 AND claim_token IS NULL RETURNING id`,
      ),
    (retries) => retries.length > 0,
  );
  // A metric has two seconds for its value. The faults of these two processes delay their scrapes.
  const slow = [narrow, paused].map((process) => ({ address: instance(process), everySeconds: 5 }));
  const fast = [api, worker, ...(queued === null ? [] : [queued])].map((process) => ({
    address: instance(process),
    everySeconds: 1,
  }));
  const groups = rules.groups.map((group) => ({ ...group, rules: group.rules.map(faster) }));
  const prometheus = await Prometheus.start(prometheusPath, { groups }, [...slow, ...fast]);
  cleanups.push(() => prometheus.stop());
  return { ...site, clickHouse: server, prometheus };
}

/** Causes faults one after another. A fault that cannot be caused fails the test of its rule. */
class Faults {
  private readonly begun = new Map<string, { readonly at: number; readonly repair: Promise<Repair | undefined> }>();

  async begin(site: Site, faults: readonly Fault[]): Promise<void> {
    for (const { alert, begin } of faults) {
      if (leftOut.has(alert)) continue;
      const repair = begin(site);
      this.begun.set(alert, { at: performance.now(), repair });
      await repair.catch(() => undefined);
    }
  }

  /** Waits until the alert of the fault has fired since the fault began. */
  async hasFired(site: Site, { alert, labels }: Fault): Promise<void> {
    const begun = this.begun.get(alert);
    await begun?.repair;
    const wanted = Object.entries({ alertname: alert, ...labels?.(site) });
    await eventually(
      () => site.prometheus.fired(Math.max(1, Math.floor((performance.now() - (begun?.at ?? 0)) / 1_000))),
      (fired) => fired.some((given) => wanted.every(([name, value]) => given[name] === value)),
      (fired) => `${alert} does not fire, but ${JSON.stringify(fired)}`,
    );
  }

  async repair(): Promise<string[]> {
    const repaired: string[] = [];
    // The last fault first, because a request of an earlier one may wait for it.
    for (const [alert, { repair }] of [...this.begun].reverse()) {
      const mend = await repair.catch(() => undefined);
      if (mend === undefined) continue;
      await mend();
      repaired.push(alert);
    }
    return repaired;
  }
}

if ('absent' in program) it.skip(`Prometheus is left out: ${program.absent}`, () => undefined);
else
  describe('an alert rule', () => {
    const faults = new Faults();
    let site: Site;
    beforeAll(async () => {
      site = await startSite(program.path);
    });
    afterAll(cleanUp);

    it('has a fault in this file', () => {
      const caused = [...FAULTS, ...FAULTS_OF_DEAD_WORKER].map(({ alert }) => alert);
      expect(caused.sort()).toEqual(rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)).sort());
    });

    it('does not fire while the service is healthy', async () => {
      const healthySeconds = 10;
      await eventually(
        async () => {
          const scrapes = await site.prometheus.query(`min(count_over_time(up[${healthySeconds}s]))`);
          const down = await site.prometheus.query(`min_over_time(up[${healthySeconds}s]) == 0`);
          const count = await site.prometheus.query(`max(count_over_time(up[${healthySeconds}s]))`);
          return {
            broken: await site.prometheus.brokenRules(),
            isScraped: Number(scrapes[0]?.value[1]) >= 2 && Number(count[0]?.value[1]) >= healthySeconds - 1,
            down: down.map(({ metric }) => metric),
            fired: await site.prometheus.fired(healthySeconds),
          };
        },
        ({ broken, isScraped, down, fired }) =>
          broken.length === 0 && isScraped && down.length === 0 && fired.length === 0,
      );
    });

    const named = (all: readonly Fault[]): [title: string, fault: Fault][] =>
      all.filter(({ alert }) => !leftOut.has(alert)).map((fault) => [`${fault.fault}: ${fault.alert}`, fault]);
    for (const [alert, reason] of leftOut) it.skip(`${alert} is left out: ${reason}`, () => undefined);

    describe('a fault with a running worker', () => {
      beforeAll(() => faults.begin(site, FAULTS));

      it.each(named(FAULTS))('fires its rule when %s', (_, fault) => faults.hasFired(site, fault));

      it('ends its alert when it is repaired', async () => {
        const repaired = await faults.repair();
        expect(repaired.length).toBeGreaterThan(8);
        for (const alert of repaired) {
          await eventually(
            () => site.prometheus.firing(alert),
            (firing) => firing.length === 0,
          );
        }
      });
    });

    describe('the death of the only worker', () => {
      beforeAll(async () => {
        await site.worker.stop('SIGKILL');
        await faults.begin(site, FAULTS_OF_DEAD_WORKER);
      });

      it.each(named(FAULTS_OF_DEAD_WORKER))('fires a rule when %s', (_, fault) => faults.hasFired(site, fault));
    });
  });
