import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BASE_TOKENS, baseProviders, mailerOf, type Runtime } from './base-providers.js';
import { CONSTRAINT_ERROR_TABLE } from './constraint-error-table.js';
import { JOBS } from './jobs.js';
import { AccountModule } from './modules/identity/account/index.js';
import { AlertDestinationsModule } from './modules/alerting/destinations/index.js';
import { FanOutModule } from './modules/alerting/fan-out/index.js';
import { AlertRulesModule } from './modules/alerting/rules/index.js';
import { SentinelModule } from './modules/alerting/sentinel/index.js';
import { AlertsModule } from './modules/alerting/alerts/index.js';
import { ApiKeysModule } from './modules/entitlement/api-keys/index.js';
import { AuditModule } from './modules/identity/audit/index.js';
import { AuditSinkModule } from './modules/operations/audit-sink/index.js';
import { AuthModule } from './modules/identity/auth/index.js';
import { BillingModule } from './modules/entitlement/billing/index.js';
import { ConsoleModule } from './modules/operations/console/index.js';
import { DashboardModule } from './modules/events/dashboard/index.js';
import { DeliveryModule } from './modules/delivery/deliveries/index.js';
import { AnalyticsModule } from './modules/events/analytics/index.js';
import { EqlModule } from './modules/events/eql/index.js';
import { HourRollupsModule } from './modules/events/hour-rollups/index.js';
import { QuotaNoticesModule } from './modules/events/quota-notices/index.js';
import { EventStreamsModule } from './modules/events/streams/index.js';
import { EventStoreModule } from './modules/events/event-store/index.js';
import { EventFeedModule } from './modules/events/feed/index.js';
import { IngestionModule } from './modules/events/ingestion/index.js';
import { EventReadsModule } from './modules/events/reads/index.js';
import { ExplorerModule } from './modules/events/explorer/index.js';
import { HealthModule } from './modules/operations/health/index.js';
import { ObjectStorageModule } from './modules/entitlement/storage/index.js';
import { IngestSourcesModule } from './modules/entitlement/sources/index.js';
import { InternalJobsModule } from './modules/operations/internal-jobs/index.js';
import { JobBoardModule } from './modules/operations/job-board/index.js';
import { TestControlModule, TestControls } from './modules/operations/test-control/index.js';
import { InvitationsModule } from './modules/tenancy/invitations/index.js';
import { CloudEventsModule } from './modules/intake/cloud-events/index.js';
import { HookIntakeModule } from './modules/intake/hooks/index.js';
import { JsonIntakeModule } from './modules/intake/json/index.js';
import { OTLP_ERROR_FORM, OtlpModule } from './modules/intake/otlp/index.js';
import { LogsModule } from './modules/events/logs/index.js';
import { OAuthModule } from './modules/identity/oauth/index.js';
import { OrganizationsModule } from './modules/tenancy/organizations/index.js';
import { PerformanceModule } from './modules/events/performance/index.js';
import { ProjectHealthModule } from './modules/events/project-health/index.js';
import { ProjectsModule } from './modules/tenancy/projects/index.js';
import { SCIM_ERROR_FORM, ScimModule } from './modules/tenancy/sso/index.js';
import { SsoModule, SsoOidcModule, SsoSamlModule, SsoSettingsModule } from './modules/tenancy/sso/index.js';
import { ProofModule } from './modules/identity/proof/index.js';
import { SearchModule } from './modules/events/search/index.js';
import { SecondFactorsModule } from './modules/identity/second-factors/index.js';
import { SecretsModule } from './modules/entitlement/secrets/index.js';
import { SecurityEventsModule } from './modules/identity/security-events/index.js';
import { SessionsModule } from './modules/identity/sessions/index.js';
import { SourceMonitoringModule } from './modules/events/source-monitoring/index.js';
import { UsageModule } from './modules/events/usage/index.js';
import { ACCESS_PROVIDERS } from './modules/access/index.js';
import { BackgroundWork } from './platform/background/background-work.js';
import { Clock, SystemClock } from './platform/clock/index.js';
import { Database } from './platform/database/database.js';
import { NotificationBus } from './platform/database/notification-bus.js';
import { QueryTimes } from './platform/database/query-times.js';
import { typeOrmOptions } from './platform/database/typeorm.options.js';
import { CONSTRAINT_ERRORS, ERROR_FORMS, ErrorFilter } from './platform/http/error.filter.js';
import { BodyBudget } from './platform/http/body-budget.js';
import { LargeBodies } from './platform/http/large-bodies.js';
import { RouteTable } from './platform/http/route-table.js';
import { Mailer, ReportingMailer } from './platform/mail/index.js';
import { DestinationSafety, DnsLookup, HostLookup, OutboundHttp } from './platform/outbound-http/index.js';
import { QueueModule } from './platform/queue/index.js';
import { RATE_LIMIT_POLICIES, RateLimitCredentials, RateLimiter, RateLimitStore } from './platform/rate-limit/index.js';
import { RedisConnection } from './platform/redis/redis.js';
import { ObjectStore, objectStoreOf } from './platform/storage/index.js';
import { Metrics } from './platform/telemetry/index.js';
import { CredentialHolders, rateLimitPolicies, rateLimitStore } from './rate-limits.js';

/** Closes connections that no library's own module closes. */
class PlatformShutdown implements OnApplicationShutdown {
  constructor(
    private readonly notifications: NotificationBus,
    private readonly mailer: Mailer,
    private readonly rateLimits: RateLimitStore,
    private readonly background: BackgroundWork,
    private readonly database: Database,
    private readonly objects: ObjectStore,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.rateLimits.close();
    await this.background.drain();
    await Promise.all([
      this.notifications.close(),
      this.mailer.close(),
      this.objects.close(),
      this.database.closeApart(),
    ]);
  }
}

@Global()
@Module({})
class PlatformModule {
  static for(runtime: Runtime): DynamicModule {
    const { config, databaseUrl, logger } = runtime;
    const controls = config.testControlToken === undefined ? null : new TestControls();
    return {
      module: PlatformModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () =>
            typeOrmOptions({
              url: databaseUrl,
              poolSize: config.database.poolSize,
              applicationName: `service-${config.process.role}`,
              statements: controls?.statements,
            }),
        }),
        QueueModule.forRootAsync({
          useFactory: () => ({
            backend: config.queue.backend,
            databaseUrl,
            redisUrl: config.redis.url,
            runWorkers: config.process.runsWorkers,
          }),
          jobs: JOBS,
        }),
      ],
      providers: [
        ...baseProviders(runtime),
        { provide: TestControls, useValue: controls },
        { provide: Clock, useValue: controls?.clock ?? new SystemClock() },
        { provide: Mailer, useFactory: () => new ReportingMailer(mailerOf(config), logger) },
        {
          provide: NotificationBus,
          useFactory: async () => {
            const notifications = new NotificationBus({
              databaseUrl,
              onError: (error) => logger.warn('notices', { err: error }),
            });
            await notifications.start();
            return notifications;
          },
        },
        {
          provide: PlatformShutdown,
          useFactory: (
            notifications: NotificationBus,
            mailer: Mailer,
            rateLimits: RateLimitStore,
            background: BackgroundWork,
            database: Database,
            objects: ObjectStore,
          ) => new PlatformShutdown(notifications, mailer, rateLimits, background, database, objects),
          inject: [NotificationBus, Mailer, RateLimitStore, BackgroundWork, Database, ObjectStore],
        },
        { provide: RATE_LIMIT_POLICIES, useFactory: () => rateLimitPolicies(config) },
        {
          provide: RateLimitStore,
          useFactory: (clock: Clock) => rateLimitStore(config, clock, logger),
          inject: [Clock],
        },
        { provide: HostLookup, useFactory: () => new DnsLookup() },
        {
          provide: DestinationSafety,
          useFactory: (lookup: HostLookup) => new DestinationSafety(config.outbound.allowedSubnets, lookup),
          inject: [HostLookup],
        },
        {
          provide: OutboundHttp,
          useFactory: (safety: DestinationSafety) => controls?.outboundHttp(safety) ?? new OutboundHttp(safety),
          inject: [DestinationSafety],
        },
        {
          provide: ObjectStore,
          useFactory: (metrics: Metrics) => objectStoreOf(config, metrics, logger),
          inject: [Metrics],
        },
        QueryTimes,
        { provide: BodyBudget, useFactory: () => new BodyBudget(config.http.maxBodyBytes) },
        LargeBodies,
        RedisConnection,
      ],
      exports: [
        ...BASE_TOKENS,
        TestControls,
        Clock,
        Mailer,
        NotificationBus,
        RATE_LIMIT_POLICIES,
        RateLimitStore,
        DestinationSafety,
        OutboundHttp,
        ObjectStore,
        BodyBudget,
        LargeBodies,
        RedisConnection,
      ],
    };
  }
}

/** The whole application, the same for HTTP and worker processes. PROCESS_ROLE decides which parts run. */
@Module({})
export class AppModule {
  static for(runtime: Runtime): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.for(runtime),
        AuditModule,
        SecurityEventsModule,
        ProofModule,
        SessionsModule,
        SecondFactorsModule,
        AuthModule,
        OAuthModule,
        AccountModule,
        OrganizationsModule,
        InvitationsModule,
        ProjectsModule,
        ScimModule,
        SsoModule,
        SsoSamlModule,
        SsoOidcModule,
        SsoSettingsModule,
        ApiKeysModule,
        BillingModule,
        IngestSourcesModule,
        SecretsModule,
        ObjectStorageModule,
        EventStreamsModule,
        IngestionModule,
        JsonIntakeModule,
        CloudEventsModule,
        OtlpModule,
        HookIntakeModule,
        EventStoreModule,
        EventReadsModule,
        EventFeedModule,
        LogsModule,
        UsageModule,
        EqlModule,
        AnalyticsModule,
        HourRollupsModule,
        PerformanceModule,
        ExplorerModule,
        SearchModule,
        DashboardModule,
        ProjectHealthModule,
        QuotaNoticesModule,
        SourceMonitoringModule,
        DeliveryModule,
        AlertDestinationsModule,
        FanOutModule,
        AlertsModule,
        SentinelModule,
        AlertRulesModule,
        HealthModule.for(runtime.config),
        InternalJobsModule,
        AuditSinkModule,
        JobBoardModule,
        TestControlModule,
        ConsoleModule,
      ],
      providers: [
        RouteTable,
        { provide: CONSTRAINT_ERRORS, useValue: CONSTRAINT_ERROR_TABLE },
        { provide: ERROR_FORMS, useValue: [OTLP_ERROR_FORM, SCIM_ERROR_FORM] },
        { provide: RateLimitCredentials, useClass: CredentialHolders },
        RateLimiter,
        ...ACCESS_PROVIDERS,
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}
