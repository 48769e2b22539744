import type { Test } from 'supertest';
import { eventually } from './eventually.js';
import { type Account, api, job, type Tenant } from './service.js';
import {
  countStoredEvents,
  type EventsOfBuckets,
  holdJudging,
  judgedUntil,
  makeBucketDue,
  storeEventsOfBuckets,
  watchFrom,
} from './sql-builders/rule-runs.js';

const BUCKET_MS = 300_000;
const DAY_BUCKETS = 288;
/**
 * The newest bucket of a test is this many buckets in the future. The service scores a bucket that a test makes due,
 * and then waits for the next bucket, which takes longer than any test.
 */
const BUCKETS_AHEAD = 24;

/** The events in each of several buckets of five minutes. */
export type Steady = EventsOfBuckets;

interface EvidencePoint {
  ts: string;
  actual: number | null;
  expected: number | null;
  lower: number | null;
  upper: number | null;
  is_anomalous: boolean;
}

export interface Finding {
  id: string;
  kind: string;
  severity: string;
  status: string;
  series: { type: string; value: string | null; metric: string };
  score: number;
  title: string;
  summary: string;
  actual: number | null;
  expected: number | null;
  started_at: string;
  last_seen_at: string;
  resolved_at: string | null;
}

interface FindingDetail extends Finding {
  evidence: {
    interval_seconds: number;
    points: EvidencePoint[];
    sample_event_ids: string[];
    contributors: object[];
    baseline: object;
  };
}

export interface FindingPage {
  items: Finding[];
  total: number;
  limit: number;
  offset: number;
}

interface Overview {
  state: string;
  score: number | null;
  findings: Finding[];
  evaluated_until: string | null;
  detectors: { kind: string; findings_7d: number; dismissed_7d: number }[];
}

/**
 * The history of one tenant in buckets of five minutes, and the findings of Sentinel in it. The newest bucket has the
 * number 0, and earlier ones have negative numbers. After {@link hold}, the service scores a bucket only when the test
 * says so.
 */
export class SentinelApi {
  /** The bucket that is scored next. */
  private next = 1;

  constructor(
    readonly tenant: Tenant,
    private readonly caller: Account = tenant.owner,
    /** The number of the newest bucket since 1970. */
    private readonly newest = newestBucket(),
  ) {}

  /** Returns the time at which a bucket begins. */
  at(bucket: number): Date {
    return new Date((this.newest + bucket) * BUCKET_MS);
  }

  iso(bucket: number): string {
    return this.at(bucket).toISOString();
  }

  /**
   * Keeps the service from scoring a bucket before {@link detectTo}. Call this before the first events of the tenant.
   */
  hold(): Promise<void> {
    return holdJudging(this.tenant.projectId);
  }

  /** Stores events in each bucket from one to another, both included. */
  put(from: number, to: number, steady: Steady): Promise<void> {
    return storeEventsOfBuckets(this.tenant.projectId, { from: this.at(from), to: this.at(to) }, steady);
  }

  /** Counts the stored events, as the service does at ingestion. */
  count(): Promise<void> {
    return countStoredEvents(this.tenant.projectId);
  }

  /** Makes scoring begin with a bucket. */
  async watchFrom(bucket: number): Promise<void> {
    await watchFrom(this.tenant.projectId, this.at(bucket));
    this.next = bucket;
  }

  /** Scores every bucket up to the given one, one after the other, with this many concurrent rounds each. */
  async detectTo(bucket: number, rounds = 1): Promise<void> {
    while (this.next <= bucket) {
      const { projectId } = this.tenant;
      const [begin, end] = [this.at(this.next), this.at(this.next + 1)];
      await eventually(
        async () => {
          await makeBucketDue(projectId, begin);
          await Promise.all(Array.from({ length: rounds }, () => job('rule-evaluations')));
          return judgedUntil(projectId);
        },
        (until) => until !== null && until >= end,
        (until) => `buckets are evaluated until ${String(until)}, and not until ${String(end)}`,
      );
      this.next += 1;
    }
  }

  /** Runs a round in which every bucket up to the newest one is scored. */
  async detect(): Promise<void> {
    await this.detectTo(0);
    await job('rule-evaluations');
  }

  /**
   * Stores days with the same events, then the given events for each bucket up to the newest one (null: no events), and
   * scores them. Sentinel learns for three days.
   */
  async detectHistory(steady: Steady, then: readonly (Partial<Steady> | null)[], days = 3): Promise<void> {
    await this.put(-days * DAY_BUCKETS - then.length, -then.length, steady);
    for (const [index, bucket] of then.entries()) {
      const place = index - then.length + 1;
      if (bucket !== null) await this.put(place, place, { ...steady, ...bucket });
    }
    await this.count();
    await this.watchFrom(-then.length + 1);
    await this.detect();
  }

  list(query = ''): Test {
    return api.as(this.caller).get(`/v1/sentinel/findings?project_id=${this.tenant.projectId}${query}`);
  }

  async page(query = ''): Promise<FindingPage> {
    return (await this.list(query).expect(200)).body as FindingPage;
  }

  async findings(query = ''): Promise<Finding[]> {
    return (await this.page(`&limit=100${query}`)).items;
  }

  /** Returns the first of the findings. */
  async first(query = ''): Promise<Finding> {
    const [finding] = await this.findings(query);
    if (finding === undefined) throw new Error('there is no finding');
    return finding;
  }

  /** Returns a short text for each finding, such as `rate_spike project warning`. */
  async kinds(): Promise<string[]> {
    return (await this.findings()).map(({ kind, series, severity }) => `${kind} ${series.type} ${severity}`);
  }

  async statuses(query = ''): Promise<string[]> {
    return (await this.findings(query)).map(({ status }) => status);
  }

  read(id: string): Test {
    return api.as(this.caller).get(`/v1/sentinel/findings/${id}`);
  }

  async finding(id: string): Promise<FindingDetail> {
    return (await this.read(id).expect(200)).body as FindingDetail;
  }

  async overview(): Promise<Overview> {
    const query = { project_id: this.tenant.projectId };
    return (await api.as(this.caller).get('/v1/sentinel/overview', query).expect(200)).body as Overview;
  }

  act(id: string, act: 'acknowledge' | 'dismiss', body: object = {}): Test {
    return api.as(this.caller).post(`/v1/sentinel/findings/${id}/${act}`, body);
  }

  /** Returns the same buckets, with requests of another caller. */
  as(caller: Account): SentinelApi {
    return new SentinelApi(this.tenant, caller, this.newest);
  }
}

function newestBucket(): number {
  const newest = Math.ceil(Date.now() / BUCKET_MS) + BUCKETS_AHEAD;
  // The newest bucket and the one before must be on the same UTC day.
  return newest % DAY_BUCKETS === 0 ? newest + 1 : newest;
}

/** Returns the history of a tenant that the service scores only when the test says so. */
export async function sentinelOf(tenant: Tenant): Promise<SentinelApi> {
  const sentinel = new SentinelApi(tenant);
  await sentinel.hold();
  return sentinel;
}
