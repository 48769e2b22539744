import { resolve } from 'node:path';
import type { z } from 'zod';
import { auditSink, auditSinkFaults } from './audit-sink.js';
import { type Config, PAYMENT_NAMES, type PaymentName, type TraceSampler, type TraceSampling } from './config.js';
import { clickHouseFaults, clickHouseSettings } from './event-store.js';
import { valueOf, valueOrFile } from './values.js';
import { oidcProviders } from './oidc-providers.js';
import { s3Faults, s3Settings } from './object-storage.js';
import { signInFaults, signInProviders } from './sign-in-providers.js';
import { VARIABLES, type VariableName } from './variables.js';

/** Lists every fault of the environment. The process exits with {@link CONFIG_EXIT_CODE}. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const DEFAULT_OPS_PORT = 9464;

/** EX_CONFIG of sysexits.h. */
export const CONFIG_EXIT_CODE = 78;

type Values = { [N in VariableName]: z.output<(typeof VARIABLES)[N]['schema']> };

/**
 * Reads and checks the environment. Empty values count as unset.
 * @throws ConfigError naming every wrong variable; values are never repeated, since some are secrets.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, takesFile }] of Object.entries(VARIABLES)) {
    const given = takesFile ? valueOrFile(env, name) : { value: valueOf(env, name) };
    if ('fault' in given) {
      faults.push(given.fault);
      continue;
    }
    const result = schema.safeParse(given.value);
    if (result.success) values[name] = result.data;
    else faults.push(`${name} ${result.error.issues[0]?.message ?? 'is invalid'}`);
  }
  const v = values as Values;
  const production = v.NODE_ENV === 'production';
  if (production) {
    const required = [
      'DATABASE_URL',
      'JWT_PRIVATE_KEYS',
      'CREDENTIAL_ENCRYPTION_KEYS',
      'SMTP_URL',
      'PUBLIC_API_URL',
    ] as const;
    for (const name of required) {
      const faulty = faults.some((fault) => nameIn(fault) === name);
      if (v[name] === undefined && !faulty) faults.push(`${name} is required in production`);
    }
  }
  faults.push(...signInFaults(v, production).filter((fault) => !faults.some((known) => sameName(known, fault))));
  const oidc = oidcProviders(env, production);
  faults.push(...oidc.faults);
  faults.push(...s3Faults(v, new Set(faults.map(nameIn))));
  faults.push(...clickHouseFaults(v, new Set(faults.map(nameIn))));
  faults.push(...auditSinkFaults(v, new Set(faults.map(nameIn))));
  if (v.TEST_CONTROL_TOKEN !== undefined && v.NODE_ENV !== 'test')
    faults.push('TEST_CONTROL_TOKEN is refused unless NODE_ENV is test');
  if (v.QUEUE_BACKEND === 'redis' && v.REDIS_URL === undefined && 'REDIS_URL' in values)
    faults.push('QUEUE_BACKEND is redis but REDIS_URL is not set');
  if (v.INGEST_MODE === 'queued' && v.REDIS_URL === undefined && 'REDIS_URL' in values)
    faults.push('INGEST_MODE is queued but REDIS_URL is not set');
  const opsPort = v.OPS_PORT ?? (production ? DEFAULT_OPS_PORT : 0);
  if (v.PROCESS_ROLE !== 'worker' && opsPort !== 0 && opsPort === v.PORT)
    faults.push(`OPS_PORT and PORT are both ${opsPort}: set one of them to another port`);
  const limitsRedisUrl = v.RATE_LIMIT_REDIS_URL ?? v.REDIS_URL;
  if (v.RATE_LIMIT_BACKEND === 'redis' && limitsRedisUrl === undefined)
    faults.push('RATE_LIMIT_BACKEND is redis but neither RATE_LIMIT_REDIS_URL nor REDIS_URL is set');
  if (production && v.RATE_LIMIT_BACKEND === 'memory')
    faults.push('RATE_LIMIT_BACKEND memory is refused in production');
  if (production && v.RATE_LIMIT_BACKEND === 'auto' && limitsRedisUrl === undefined)
    faults.push('RATE_LIMIT_REDIS_URL or REDIS_URL is required in production');
  // A variable that could not be parsed has already been reported.
  const areRight = (...names: VariableName[]): boolean => names.every((name) => name in values);
  const ownsNoDatabase = v.PROCESS_ROLE !== 'all' && v.DATABASE_URL === undefined && !production;
  if (areRight('PROCESS_ROLE', 'DATABASE_URL') && ownsNoDatabase) {
    faults.push(`PROCESS_ROLE ${v.PROCESS_ROLE} needs DATABASE_URL: the embedded database belongs to one process`);
  }
  if (v.MIGRATE_ON_START === 'wait' && v.DATABASE_URL === undefined && 'DATABASE_URL' in values)
    faults.push('MIGRATE_ON_START is wait but DATABASE_URL is not set: nothing else migrates the embedded database');
  if (faults.length > 0) throw new ConfigError(faults);

  const publicAppUrl = v.PUBLIC_APP_URL ?? ownUrl(v.PORT);
  return deepFreeze<Config>({
    environment: v.NODE_ENV,
    http: {
      port: v.PORT,
      host: v.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
      trustProxy: v.TRUST_PROXY,
      publicAppUrl,
      servesConsole: v.CONSOLE,
      publicApiUrl: v.PUBLIC_API_URL,
      corsOrigins: v.CORS_ORIGINS,
      maxBodyBytes: v.MAX_BODY_BYTES,
    },
    operations: {
      host: v.OPS_HOST ?? '127.0.0.1',
      port: v.OPS_PORT ?? DEFAULT_OPS_PORT,
      takesNextPort: v.OPS_PORT === undefined && !production,
    },
    logLevel: v.LOG_LEVEL,
    accessLog: v.ACCESS_LOG,
    tracing:
      v.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            sampling: samplingOf(v.OTEL_TRACES_SAMPLER, v.OTEL_TRACES_SAMPLER_ARG),
            batches: {
              delayMs: v.OTEL_BSP_SCHEDULE_DELAY,
              batchSize: v.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
              maxQueued: v.OTEL_BSP_MAX_QUEUE_SIZE,
            },
          },
    dataDir: { path: resolve(v.DATA_DIR ?? '.data'), isDefault: v.DATA_DIR === undefined },
    database: { url: v.DATABASE_URL, poolSize: v.DATABASE_POOL_SIZE, migrations: v.MIGRATE_ON_START },
    redis: { url: v.REDIS_URL },
    rateLimits: {
      backend:
        v.RATE_LIMIT_BACKEND === 'auto' ? (limitsRedisUrl === undefined ? 'memory' : 'redis') : v.RATE_LIMIT_BACKEND,
      redisUrl: limitsRedisUrl,
      overrides: v.RATE_LIMIT_OVERRIDES,
      authLoginIp: v.AUTH_LOGIN_RATE_LIMIT_IP,
      authRegisterIp: v.AUTH_REGISTER_RATE_LIMIT_IP,
    },
    queue: {
      backend: v.QUEUE_BACKEND === 'auto' ? (v.REDIS_URL === undefined ? 'postgres' : 'redis') : v.QUEUE_BACKEND,
    },
    process: {
      role: v.PROCESS_ROLE,
      runsApi: v.PROCESS_ROLE !== 'worker',
      runsWorkers: v.PROCESS_ROLE !== 'api',
    },
    metering: { enabled: v.ENABLE_REQUEST_METERING },
    ingestion: { mode: v.INGEST_MODE, batchMax: v.INGEST_BATCH_MAX, batchWaitMs: v.INGEST_BATCH_WAIT_MS },
    auditSink: auditSink(v),
    quotas: {
      monthlyRequests: v.MONTHLY_REQUEST_LIMITS,
      requestQuotaMessage: v.REQUEST_QUOTA_MESSAGE,
      sendsNotices: v.QUOTA_NOTICES,
      upgradeUrl: v.UPGRADE_URL ?? `${publicAppUrl}/billing`,
    },
    tokens: {
      privateKeys: v.JWT_PRIVATE_KEYS,
      accessTtlSeconds: v.ACCESS_TOKEN_TTL_SECONDS,
      refreshTtlSeconds: v.REFRESH_TOKEN_TTL_SECONDS,
    },
    credentialKeys: v.CREDENTIAL_ENCRYPTION_KEYS,
    webauthn: {
      rpId: v.WEBAUTHN_RP_ID,
      rpName: v.WEBAUTHN_RP_NAME,
      origins: v.WEBAUTHN_ORIGINS.length > 0 ? v.WEBAUTHN_ORIGINS : [new URL(publicAppUrl).origin],
    },
    signInPolicy: { requiresSecondFactor: v.REQUIRE_MFA, passwordlessDomains: v.REQUIRE_SSO_DOMAINS },
    mail: { smtpUrl: v.SMTP_URL, from: v.MAIL_FROM },
    deliveryRetries: {
      batchSize: v.DELIVERY_RETRY_BATCH_SIZE,
      pollSeconds: v.DELIVERY_RETRY_POLL_SECONDS,
      leaseSeconds: v.DELIVERY_RETRY_LEASE_SECONDS,
    },
    oauth: signInProviders(v),
    oidcProviders: oidc.providers,
    outbound: { allowedSubnets: v.OUTBOUND_ALLOWED_SUBNETS },
    ssoDnsServers: v.SSO_DNS_SERVERS,
    storage: {
      s3: s3Settings(v),
      limits: v.STORAGE_LIMITS,
      objectBodyMaxBytes: v.OBJECT_BODY_MAX_BYTES,
      meteredBillingEnabled: v.STORAGE_METERED_BILLING_ENABLED,
    },
    eventReads: v.EVENT_STORE,
    eventsHotDays: v.EVENTS_HOT_DAYS,
    eventRetentionDays: v.EVENT_RETENTION_DAYS,
    eventStore: clickHouseSettings(v),
    internalJobToken: v.INTERNAL_JOB_TOKEN,
    testControlToken: v.TEST_CONTROL_TOKEN,
    payment: Object.fromEntries(PAYMENT_NAMES.map((name) => [name, v[name]])) as Record<
      PaymentName,
      string | undefined
    >,
    billingAdministration: v.ENABLE_BILLING_ADMIN,
    platformAdminEmails: v.PLATFORM_ADMIN_EMAILS,
  });
}

function samplingOf(sampler: TraceSampler, share: number): TraceSampling {
  const own = sampler.replace('parentbased_', '');
  const ratio = own === 'always_on' ? 1 : own === 'always_off' ? 0 : share;
  return { ratio, followsParent: own !== sampler };
}

function sameName(a: string, b: string): boolean {
  return nameIn(a) === nameIn(b);
}

/** Returns the variable that a fault is about, whether its value or its file is wrong. */
function nameIn(fault: string): string {
  return fault.slice(0, fault.indexOf(' ')).replace(/_FILE$/, '');
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/**
 * Returns the default address of the service. It uses the name localhost, because browsers accept no IP address as the
 * domain of passkeys. Port 0 stands for a free port that is not known yet, so 3000 is used.
 */
function ownUrl(port: number): string {
  return `http://localhost:${port === 0 ? 3000 : port}`;
}
