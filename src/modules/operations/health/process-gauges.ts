import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config, PLAN_NAMES } from '../../../config/index.js';
import { KeptResult } from '../../../platform/concurrency/index.js';
import { Database } from '../../../platform/database/database.js';
import { BodyBudget } from '../../../platform/http/body-budget.js';
import { SERVICE_VERSION } from '../../../platform/http/service-info.js';
import { JobQueue, type JobState } from '../../../platform/queue/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { type OrganizationCount, OrganizationCountsRepository } from './organization-counts.repository.js';

/** The state of the jobs takes several queries, so it is read at most once in this time. */
const JOBS_KEPT_MS = 5_000;
/** The count of organizations reads every organization, so it is made at most once in this time. */
const ORGANIZATIONS_KEPT_MS = 60_000;

/** Registers the gauges that belong to no single module. A scrape reads their values. */
@Injectable()
export class ProcessGauges implements OnModuleInit {
  private readonly jobs: KeptResult<readonly JobState[]>;
  private readonly organizations: KeptResult<readonly OrganizationCount[]>;

  constructor(
    private readonly metrics: Metrics,
    private readonly database: Database,
    private readonly bodies: BodyBudget,
    queue: JobQueue,
    organizations: OrganizationCountsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.jobs = new KeptResult(JOBS_KEPT_MS, () => queue.state());
    this.organizations = new KeptResult(ORGANIZATIONS_KEPT_MS, () => organizations.count());
  }

  onModuleInit(): void {
    this.describeProcess();
    if (this.config.process.runsApi) this.describeBodies();
    // Processes that run only the API report the jobs too. Otherwise nothing would report them when every worker has
    // ended.
    this.describeJobs();
    if (this.config.process.runsWorkers) this.describeOrganizations();
  }

  private describeProcess(): void {
    const { role } = this.config.process;
    this.metrics.gauge('oes_build_info', 'The version of the service', ['version', 'node', 'role'], (gauge) =>
      gauge.set({ version: SERVICE_VERSION, node: process.versions.node, role }, 1),
    );
    let pool = this.database.poolUse;
    this.metrics.beforeCollect(() => (pool = this.database.poolUse));
    this.metrics.gauge(
      'oes_database_pool_connections',
      'Connections of the pool for requests, by state',
      ['state'],
      (gauge) => {
        gauge.set({ state: 'idle' }, pool.idle);
        gauge.set({ state: 'used' }, pool.open - pool.idle);
      },
    );
    this.metrics.gauge('oes_database_pool_waiting', 'Callers that wait for a connection of the pool', [], (gauge) =>
      gauge.set(pool.waiting),
    );
  }

  private describeBodies(): void {
    this.metrics.gauge(
      'oes_body_budget_bytes',
      'Bytes of request bodies in memory, by whether the caller has a credential',
      ['caller'],
      (gauge) => {
        const { known, strangers } = this.bodies.inUse;
        gauge.set({ caller: 'known' }, known);
        gauge.set({ caller: 'stranger' }, strangers);
      },
    );
  }

  private describeJobs(): void {
    this.metrics.gauge('oes_job_due', 'Work of a job that is due, or runs that wait', ['name'], async (gauge) => {
      for (const { name, due } of await this.jobs.get()) {
        if (due !== null) gauge.set({ name }, due);
        else gauge.remove({ name });
      }
    });
    this.metrics.gauge(
      'oes_job_last_run_timestamp_seconds',
      'When a job last ran in any process, in seconds since 1970',
      ['name'],
      async (gauge) => {
        for (const { name, last_run_at: at } of await this.jobs.get())
          if (at !== null) gauge.set({ name }, at.getTime() / 1_000);
      },
    );
    this.metrics.gauge('oes_job_failing', '1 if the last run of a job failed', ['name'], async (gauge) => {
      for (const { name, last_error: error } of await this.jobs.get()) gauge.set({ name }, error === null ? 0 : 1);
    });
  }

  private describeOrganizations(): void {
    this.metrics.gauge(
      'oes_organizations',
      'Organizations by plan and billing status',
      ['plan', 'billing_status'],
      async (gauge) => {
        const counts = await this.organizations.get();
        gauge.reset();
        for (const { plan, billing_status, organizations } of counts)
          gauge.set({ plan, billing_status }, organizations);
      },
    );
    this.metrics.gauge(
      'oes_organizations_at_event_limit',
      'Organizations that have used up the events of the month, by plan',
      ['plan'],
      async (gauge) => {
        const counts = await this.organizations.get();
        for (const plan of PLAN_NAMES) {
          const ofPlan = counts.filter((count) => count.plan === plan);
          gauge.set(
            { plan },
            ofPlan.reduce((sum, { at_limit }) => sum + at_limit, 0),
          );
        }
      },
    );
  }
}
