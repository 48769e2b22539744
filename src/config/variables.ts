import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import {
  ACCESS_LOGS,
  AUDIT_SINK_KINDS,
  type CredentialKey,
  EVENT_STORES,
  INGEST_MODES,
  type LogLevel,
  MIGRATION_MODES,
  PLAN_NAMES,
  type PlanName,
  type ProcessRole,
  RATE_LIMIT_POLICY_NAMES,
  type RateLimitOverride,
  type RateLimitPolicyName,
  type Subnet,
  TRACE_SAMPLERS,
} from './config.js';
import { DEFAULT_CLICKHOUSE_DATABASE, DEFAULT_CLICKHOUSE_USER } from './event-store.js';
import { SHOWN_STORAGE_LIMITS, storageLimits } from './object-storage.js';
import { domainOf } from './sign-in-policy.js';
import { APPLE_ISSUER, GOOGLE_ISSUER } from './sign-in-providers.js';

/** One environment variable: how it is read, its default, and the sentence for `.env.example` and the documents. */
export interface Variable<T> {
  readonly group: string;
  readonly description: string;
  /** The default that the listings show; `schema` provides the value. */
  readonly shownDefault: string;
  readonly schema: z.ZodType<T, string | undefined>;
  /** Whether `NAME_FILE` is read as well: the path of a file with the value. */
  readonly takesFile: boolean;
}

const variable = <T>(
  group: string,
  shownDefault: string,
  description: string,
  schema: z.ZodType<T, string | undefined>,
): Variable<T> => ({ group, shownDefault, description, schema, takesFile: false });

/** A variable that holds a secret, or an address with a password. Its value may also be in a file. */
const secret = <T>(...parts: Parameters<typeof variable<T>>): Variable<T> => ({
  ...variable(...parts),
  takesFile: true,
});

/** Resolvers query one name server after another, so a longer list only delays the failure. */
const MAX_NAME_SERVERS = 4;

const text = z.string().optional();

const optionalInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`)
    .optional();
const integer = (fallback: number, min: number, max: number) =>
  optionalInteger(min, max).transform((n) => n ?? fallback);

const share = z
  .string()
  .regex(/^(?:0|1|[01]?\.\d{1,12})$/, 'must be a number from 0 to 1')
  .transform(Number)
  .refine((n) => n <= 1, 'must be a number from 0 to 1')
  .optional()
  .transform((n) => n ?? 1);

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);
const optionalFlag = z
  .string()
  .transform((v) => v.toLowerCase())
  .refine((v) => TRUE.has(v) || FALSE.has(v), 'must be true or false')
  .transform((v) => TRUE.has(v))
  .optional();
const flag = (fallback: boolean) => optionalFlag.transform((v) => v ?? fallback);

const oneOf = <T extends string>(values: readonly T[], fallback: T) =>
  z
    .enum(values as readonly [T, ...T[]], { error: `must be one of ${values.join(', ')}` })
    .optional()
    .transform((v) => v ?? fallback);

const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (v) => {
        const parsed = URL.parse(v);
        return parsed !== null && protocols.includes(parsed.protocol);
      },
      `must be a URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    )
    .optional();

const list = z
  .string()
  .optional()
  .transform((v) =>
    (v ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

const originList = list.refine(
  (items) => items.every((item) => URL.parse(item)?.origin === item),
  'must be comma-separated origins such as https://app.example.com',
);

const domainList = list
  .refine(
    (items) => items.every((item) => domainOf(item) !== null),
    'must be comma-separated domains such as example.com, without @, * and a port',
  )
  .transform((items) => [...new Set(items.map(domainOf))].filter((domain) => domain !== null));

const trustProxy = z
  .string()
  .optional()
  .transform((v): false | true | number | string => {
    if (v === undefined || FALSE.has(v.toLowerCase())) return false;
    if (/^\d+$/.test(v)) return Number(v);
    return v.toLowerCase() === 'true' ? true : v;
  })
  .refine(
    (v) => typeof v !== 'string' || v.split(',').every((part) => isProxyRange(part.trim())),
    'must be a number of hops, true, off, or addresses and ranges such as 10.0.0.0/8 or loopback',
  );

function isProxyRange(text: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(text) || subnetOf(text) !== null;
}

/** Parses an address or a CIDR range, or returns null. A single address is a range with the full prefix. */
function subnetOf(text: string): Subnet | null {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  const isRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (family === 0 || address.includes('%') || rest.length > 0 || !isRight) return null;
  return { family: family === 4 ? 'ipv4' : 'ipv6', address, prefix: bits === undefined ? most : Number(bits) };
}

const subnets = list
  .refine(
    (items) => items.every((item) => subnetOf(item) !== null),
    'must be comma-separated ranges such as 10.1.0.0/16 or fd00::/8',
  )
  .transform((items) => items.map(subnetOf).filter((subnet) => subnet !== null));

const nameServers = list.refine(
  (items) => items.length <= MAX_NAME_SERVERS && items.every(isNameServer),
  `must be at most ${MAX_NAME_SERVERS} comma-separated addresses such as 192.0.2.53 or 192.0.2.53:5353`,
);

/** Returns whether the text is an IP address, with or without a port. An IPv6 address with a port is in brackets. */
function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return !text.includes('%');
  const [, ipv6 = '', ipv4 = '', port = ''] = /^(?:\[([^\]%]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return (isIP(ipv6) === 6 || isIP(ipv4) === 4) && Number(port) > 0 && Number(port) < 65_536;
}

const pemTexts = (v: string): string[] =>
  v.replaceAll('\\n', '\n').match(/-----BEGIN [^-]+-----[\s\S]+?-----END [^-]+-----/g) ?? [];

const pemKeys = z
  .string()
  .transform(pemTexts)
  .refine((keys) => keys.length > 0 && keys.every(isP256), 'must be one or more PEM private keys on curve P-256')
  .optional();

const pemKey = z
  .string()
  .transform(pemTexts)
  .refine((keys) => keys.length === 1 && keys.every(isP256), 'must be one PEM private key on curve P-256')
  .transform(([key = '']) => key)
  .optional();

const word = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 visible ASCII characters')
  .optional();

const bareUrl = url(['https:', 'http:']).refine(
  (v) => v === undefined || !/[?#]/.test(v),
  'must be a URL without query and fragment',
);

const baseUrl = bareUrl.transform((v) => v?.replace(/\/+$/, ''));

const serviceUrl = baseUrl.refine(
  (v) => v === undefined || !/^[a-z]+:\/\/[^/]*@/i.test(v),
  'must be a URL without user and password',
);

const s3Bucket = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{1,253})[A-Za-z0-9]$/, 'must be the name of a bucket')
  .optional();

/** A name that appears quoted in SQL statements. */
const identifier = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/, 'must be a name of 1 to 63 letters, digits, _ and -')
  .optional();

function isP256(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

const credentialKeys = z
  .string()
  .transform((v, ctx): 'disabled' | CredentialKey[] => {
    if (v === 'disabled') return 'disabled';
    const keys = v.split(',').map((pair) => {
      const [id = '', encoded = ''] = pair.trim().split(':');
      return { id, key: Buffer.from(encoded, 'base64') };
    });
    const ids = new Set(keys.map((k) => k.id));
    if (ids.size !== keys.length || keys.some((k) => !/^[A-Za-z0-9_-]{1,32}$/.test(k.id) || k.key.length !== 32)) {
      ctx.addIssue({ code: 'custom', message: 'must be id:base64(32 bytes) pairs with different ids, or disabled' });
    }
    return keys;
  })
  .optional();

const isPolicyName = (name: string): name is RateLimitPolicyName =>
  (RATE_LIMIT_POLICY_NAMES as readonly string[]).includes(name);

/** `policy=ip[/credential]` pairs; the last pair of a policy wins. */
const rateLimitOverrides = list.transform((items, ctx) => {
  const overrides: Partial<Record<RateLimitPolicyName, RateLimitOverride>> = {};
  for (const item of items) {
    const [, name = '', ip, credential] = /^([a-z-]+)=([1-9]\d{0,14})(?:\/([1-9]\d{0,14}))?$/.exec(item) ?? [];
    if (!isPolicyName(name)) {
      const names = RATE_LIMIT_POLICY_NAMES.join(', ');
      ctx.addIssue({ code: 'custom', message: `must be policy=ip[/credential] pairs; the policies are ${names}` });
      return z.NEVER;
    }
    overrides[name] = { ip: Number(ip), credential: credential === undefined ? undefined : Number(credential) };
  }
  return overrides;
});

/** Reads a secret of Standard Webhooks as the key that it encodes. */
const webhookKey = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'must be whsec_ and base64')
  .transform((v) => Buffer.from(v.slice('whsec_'.length), 'base64'))
  .refine(({ length }) => length >= 24 && length <= 64, 'must encode 24 to 64 bytes')
  .optional();

const isPlanName = (name: string): name is PlanName => (PLAN_NAMES as readonly string[]).includes(name);

/** `plan=n` pairs; `plan=none` for no limit. */
const requestLimits = list.transform((items, ctx) => {
  const limits: Record<string, number | null> = {};
  for (const item of items) {
    const [, plan = '', limit = ''] = /^([a-z]+)=(\d{1,15}|none)$/.exec(item) ?? [];
    if (!isPlanName(plan)) {
      ctx.addIssue({ code: 'custom', message: `must be plan=n pairs; the plans are ${PLAN_NAMES.join(', ')}` });
      return z.NEVER;
    }
    limits[plan] = limit === 'none' ? null : Number(limit);
  }
  return limits;
});

const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const ROLES: readonly ProcessRole[] = ['api', 'worker', 'all'];

/** Every environment variable that the service reads. A name that is added here also appears in every listing. */
export const VARIABLES = {
  NODE_ENV: variable(
    'Process',
    'development',
    'development, test or production; production refuses embedded and generated parts',
    oneOf(['development', 'test', 'production'] as const, 'development'),
  ),
  PROCESS_ROLE: variable('Process', 'all', 'api, worker, or all for both in one process', oneOf(ROLES, 'all')),
  PORT: variable('HTTP', '3000', 'port of the listener; 0 takes a free one', integer(3000, 0, 65535)),
  HOST: variable('HTTP', '127.0.0.1', 'address of the listener; 0.0.0.0 by default in production', text),
  OPS_PORT: variable(
    'HTTP',
    '9464',
    'port of the listener for operators in every role; outside production the next free one if it is not set; 0: no listener, and /metrics and /ready of the API need X-Internal-Token',
    optionalInteger(0, 65535),
  ),
  OPS_HOST: variable('HTTP', '127.0.0.1', 'address of the listener for operators; it needs no credentials', text),
  TRUST_PROXY: variable(
    'HTTP',
    'off',
    'trusted proxies in front: a number of hops, addresses, or true; the client address of limits and sessions follows it',
    trustProxy,
  ),
  PUBLIC_APP_URL: variable(
    'HTTP',
    'http://localhost:PORT',
    'front end that mails link to; by itself the service passes such links on to its console',
    url(['http:', 'https:']).transform((v) => v?.replace(/\/+$/, '')),
  ),
  CONSOLE: variable('HTTP', 'on', 'the web page in front of the API at /console; off leaves it out', flag(true)),
  PUBLIC_API_URL: variable(
    'HTTP',
    '',
    'where clients reach this API, the base of signed URLs; unset: scheme and host of the request (required in production)',
    baseUrl,
  ),
  CORS_ORIGINS: variable('HTTP', '', 'comma-separated origins that browsers may call from', originList),
  MAX_BODY_BYTES: variable('HTTP', '1048576', 'largest JSON body', integer(1_048_576, 1, 104_857_600)),
  LOG_LEVEL: variable('Process', 'info', `one of ${LEVELS.join(', ')}`, oneOf(LEVELS, 'info')),
  ACCESS_LOG: variable(
    'Process',
    'all',
    'requests that have a line in the log: off, errors (5xx and aborted requests) or all; LOG_LEVEL only decides about them when it is silent',
    oneOf(ACCESS_LOGS, 'all'),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    'Process',
    '',
    'where spans of requests, statements, jobs and deliveries are sent by OTLP; unset: no tracing. Other OTEL_ variables are read by the SDK of OpenTelemetry',
    url(['http:', 'https:']),
  ),
  OTEL_TRACES_SAMPLER: variable(
    'Process',
    'parentbased_always_on',
    `which traces are exported: ${TRACE_SAMPLERS.join(', ')}`,
    oneOf(TRACE_SAMPLERS, 'parentbased_always_on'),
  ),
  OTEL_TRACES_SAMPLER_ARG: variable('Process', '1', 'the share of traces of traceidratio samplers, from 0 to 1', share),
  OTEL_BSP_SCHEDULE_DELAY: variable(
    'Process',
    '5000',
    'how long spans wait for their batch, in milliseconds',
    integer(5_000, 1, 60_000),
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: variable('Process', '512', 'most spans of a batch', integer(512, 1, 10_000)),
  OTEL_BSP_MAX_QUEUE_SIZE: variable(
    'Process',
    '2048',
    'most spans in memory; further ones are dropped',
    integer(2_048, 1, 100_000),
  ),
  DATA_DIR: variable(
    'Storage',
    '.data',
    'folder of the embedded database, objects, captured mail and generated secrets',
    text,
  ),
  DATABASE_URL: secret(
    'Storage',
    '',
    'PostgreSQL 15 or newer, with ?sslmode=verify-full over TLS; unset: an embedded one in DATA_DIR (required in production)',
    url(['postgres:', 'postgresql:']),
  ),
  DATABASE_POOL_SIZE: variable('Storage', '10', 'connections of one process', integer(10, 1, 500)),
  MIGRATE_ON_START: variable(
    'Storage',
    'on',
    'on: apply missing migrations at the start; off: exit with code 78 while any is missing; wait: wait until another process has applied them',
    oneOf(MIGRATION_MODES, 'on'),
  ),
  REDIS_URL: secret(
    'Storage',
    '',
    'Redis 6.2 or newer for queues and rate limits; unset: queues live in PostgreSQL, limits in each process',
    url(['redis:', 'rediss:']),
  ),
  QUEUE_BACKEND: variable(
    'Storage',
    'auto',
    'auto (Redis when REDIS_URL is set), postgres or redis',
    oneOf(['auto', 'postgres', 'redis'] as const, 'auto'),
  ),
  S3_ENDPOINT: variable(
    'Object storage',
    '',
    'URL of an S3 service; all of the next four with it, or none: then objects are files in DATA_DIR/objects',
    serviceUrl,
  ),
  S3_REGION: variable('Object storage', '', 'region that requests are signed for, often us-east-1', word),
  S3_BUCKET: variable('Object storage', '', 'bucket that holds objects and nothing else', s3Bucket),
  S3_ACCESS_KEY_ID: variable('Object storage', '', 'access key that may read, write, list and delete there', word),
  S3_SECRET_ACCESS_KEY: secret('Object storage', '', 'secret of the access key', word),
  S3_FORCE_PATH_STYLE: variable(
    'Object storage',
    'false',
    'the bucket stands in the path of requests, as most services but that of Amazon want it (true or false)',
    optionalFlag,
  ),
  OBJECT_BODY_MAX_BYTES: variable(
    'Object storage',
    '16777216',
    'content of one upload request; what is larger comes in parts',
    integer(16_777_216, 1, 5_368_709_120),
  ),
  STORAGE_LIMITS: variable(
    'Object storage',
    SHOWN_STORAGE_LIMITS,
    'plan=storage/bandwidth/file, comma-separated; KB to TB are powers of 1,024, - for none; plans left out keep theirs',
    storageLimits,
  ),
  STORAGE_METERED_BILLING_ENABLED: variable(
    'Object storage',
    'false',
    'report what goes beyond the limits to the payment provider, and allow it to who pays (true or false)',
    flag(false),
  ),
  EVENT_STORE: variable(
    'Event store',
    'postgres',
    'where questions about events are answered: postgres, or clickhouse, which needs CLICKHOUSE_URL',
    oneOf(EVENT_STORES, 'postgres'),
  ),
  EVENTS_HOT_DAYS: variable(
    'Event store',
    '',
    'PostgreSQL drops whole UTC months of events that are older than so many days and are in ClickHouse; 35 at least, unset: it keeps every event',
    optionalInteger(35, 36_500),
  ),
  EVENT_RETENTION_DAYS: variable(
    'Event store',
    '',
    'events older than so many days end, a whole UTC month at a time; 30 at least, unset: they are kept for ever',
    optionalInteger(30, 36_500),
  ),
  CLICKHOUSE_URL: variable(
    'Event store',
    '',
    'URL of the HTTP interface of a ClickHouse, to which events are copied; unset: they are in PostgreSQL alone',
    serviceUrl,
  ),
  CLICKHOUSE_USER: variable('Event store', DEFAULT_CLICKHOUSE_USER, 'who may make tables in the database there', word),
  CLICKHOUSE_PASSWORD: secret('Event store', '', 'of the user', word),
  CLICKHOUSE_DATABASE: variable(
    'Event store',
    DEFAULT_CLICKHOUSE_DATABASE,
    'database of the tables, made when it is missing',
    identifier,
  ),
  CLICKHOUSE_CLUSTER: variable(
    'Event store',
    '',
    'untried: name of a cluster in the configuration of the servers, over which tables are replicated and sharded; needs the macros shard and replica, a Keeper, and GRANT CLUSTER, REMOTE ON *.*',
    identifier,
  ),
  RATE_LIMIT_BACKEND: variable(
    'Rate limits',
    'auto',
    'auto (Redis when a Redis URL is set), memory (refused in production) or redis',
    oneOf(['auto', 'memory', 'redis'] as const, 'auto'),
  ),
  RATE_LIMIT_REDIS_URL: secret(
    'Rate limits',
    'REDIS_URL',
    'another Redis for the limits alone; production needs one of the two',
    url(['redis:', 'rediss:']),
  ),
  RATE_LIMIT_OVERRIDES: variable(
    'Rate limits',
    '',
    'policy=ip[/credential] pairs such as events=100000/100000,auth-login=500; wins over the two names below',
    rateLimitOverrides,
  ),
  AUTH_LOGIN_RATE_LIMIT_IP: variable(
    'Rate limits',
    '20',
    'sign-ins of one address in 5 minutes',
    integer(20, 1, 999_999_999),
  ),
  AUTH_REGISTER_RATE_LIMIT_IP: variable(
    'Rate limits',
    '15',
    'registrations of one address in 15 minutes',
    integer(15, 1, 999_999_999),
  ),
  ENABLE_REQUEST_METERING: variable('Metering', 'true', 'count successful API-key requests in usage_daily', flag(true)),
  INGEST_MODE: variable(
    'Ingestion',
    'batched',
    'direct (a transaction a request), batched (many requests share one) or queued (answered when the event is in Redis)',
    oneOf(INGEST_MODES, 'batched'),
  ),
  INGEST_BATCH_MAX: variable('Ingestion', '500', 'most events of one transaction', integer(500, 1, 10_000)),
  INGEST_BATCH_WAIT_MS: variable(
    'Ingestion',
    '2',
    'longest wait for more events before a batch is written',
    integer(2, 0, 1000),
  ),
  MONTHLY_REQUEST_LIMITS: variable(
    'Metering',
    'free=100000,pro=1000000,scale=10000000,enterprise=none',
    'API-key requests a month by plan, as plan=n pairs',
    requestLimits,
  ),
  QUOTA_NOTICES: variable(
    'Metering',
    'on',
    'a mail to owners and admins, and an event in each project, at 80 % and 100 % of the events or requests of a month; off leaves them out',
    flag(true),
  ),
  REQUEST_QUOTA_MESSAGE: variable(
    'Metering',
    'Monthly request quota exceeded.',
    'what a request beyond that is told',
    z
      .string()
      .max(500)
      .optional()
      .transform((v) => v ?? 'Monthly request quota exceeded.'),
  ),
  UPGRADE_URL: variable(
    'Billing',
    'PUBLIC_APP_URL/billing',
    'where somebody who reached a limit is sent',
    url(['http:', 'https:']),
  ),
  JWT_PRIVATE_KEYS: secret(
    'Secrets',
    '',
    'PEM private keys (EC P-256); the first signs access tokens, all verify (required in production)',
    pemKeys,
  ),
  ACCESS_TOKEN_TTL_SECONDS: variable('Secrets', '900', 'life of an access token', integer(900, 1, 86_400)),
  REFRESH_TOKEN_TTL_SECONDS: variable(
    'Secrets',
    '2592000',
    'life of a refresh token',
    integer(2_592_000, 1, 31_536_000),
  ),
  CREDENTIAL_ENCRYPTION_KEYS: secret(
    'Secrets',
    '',
    'id:base64(32 bytes) pairs; the first encrypts, all decrypt; disabled turns protected credentials off (required in production)',
    credentialKeys,
  ),
  INTERNAL_JOB_TOKEN: secret('Secrets', '', 'expected in X-Internal-Token; unset: /internal answers 404', text),
  TEST_CONTROL_TOKEN: secret(
    'Secrets',
    '',
    'opens /internal/test to test suites; the process does not start with it unless NODE_ENV is test',
    text,
  ),
  WEBAUTHN_RP_ID: variable(
    'Passkeys',
    'localhost',
    'domain that passkeys belong to: that of the front end, or a parent of it',
    z
      .string()
      .regex(/^[a-z0-9.-]+$/, 'must be a domain name in lower case')
      .optional()
      .transform((v) => v ?? 'localhost'),
  ),
  WEBAUTHN_RP_NAME: variable(
    'Passkeys',
    'Operational Event Service',
    'name that authenticators show',
    z
      .string()
      .max(64)
      .optional()
      .transform((v) => v ?? 'Operational Event Service'),
  ),
  WEBAUTHN_ORIGINS: variable(
    'Passkeys',
    'PUBLIC_APP_URL',
    'comma-separated origins whose pages may use passkeys',
    originList,
  ),
  REQUIRE_MFA: variable(
    'Sign-in policy',
    'false',
    'people without a second factor may only set one up; a sign-in by a provider counts as both factors (true or false)',
    flag(false),
  ),
  REQUIRE_SSO_DOMAINS: variable(
    'Sign-in policy',
    '',
    'comma-separated domains, without their subdomains, whose addresses may neither register nor use a password, except those of PLATFORM_ADMIN_EMAILS',
    domainList,
  ),
  SMTP_URL: secret(
    'Mail',
    '',
    'for example smtp://user:pass@mail.example.com:587; unset: mail is written to DATA_DIR/outbox (required in production)',
    url(['smtp:', 'smtps:']),
  ),
  MAIL_FROM: variable(
    'Mail',
    "'Operational Event Service <no-reply@localhost>'",
    'sender of every mail',
    z
      .string()
      .max(320)
      .optional()
      .transform((v) => v ?? 'Operational Event Service <no-reply@localhost>'),
  ),
  DELIVERY_RETRY_BATCH_SIZE: variable(
    'Delivery',
    '10',
    'due rows that one claim takes at most, of attempts and of alert deliveries each; claims follow one another while rows are due and slots are free, so it bounds no rate',
    integer(10, 1, 1_000),
  ),
  DELIVERY_RETRY_POLL_SECONDS: variable(
    'Delivery',
    '10',
    'seconds between two looks for due deliveries in each worker process; retries are sent when they are due, a look finds what a process that ended left behind',
    integer(10, 1, 3_600),
  ),
  DELIVERY_RETRY_LEASE_SECONDS: variable(
    'Delivery',
    '120',
    'seconds a worker may hold a delivery; when it dies, another one goes on after them',
    integer(120, 1, 3_600),
  ),
  OAUTH_GOOGLE_CLIENT_ID: variable('Sign-in providers', '', 'Google login is on when id and secret are set', word),
  OAUTH_GOOGLE_CLIENT_SECRET: secret('Sign-in providers', '', 'client secret of the Google client', word),
  OAUTH_GOOGLE_ISSUER: variable(
    'Sign-in providers',
    GOOGLE_ISSUER,
    'where its OpenID configuration is found (https in production)',
    bareUrl,
  ),
  OAUTH_APPLE_CLIENT_ID: variable(
    'Sign-in providers',
    '',
    'Services ID; Apple login is on when it, team, key id and private key are set',
    word,
  ),
  OAUTH_APPLE_TEAM_ID: variable('Sign-in providers', '', 'team that owns the key', word),
  OAUTH_APPLE_KEY_ID: variable('Sign-in providers', '', 'identifier of the private key', word),
  OAUTH_APPLE_PRIVATE_KEY: secret(
    'Sign-in providers',
    '',
    'PEM private key (EC P-256) that signs the client secrets',
    pemKey,
  ),
  OAUTH_APPLE_ISSUER: variable(
    'Sign-in providers',
    APPLE_ISSUER,
    'where its OpenID configuration is found (https in production)',
    bareUrl,
  ),
  OUTBOUND_ALLOWED_SUBNETS: variable(
    'Delivery',
    '',
    'comma-separated ranges (CIDR) that deliveries and alerts may reach although they are not public, for example 10.1.0.0/16',
    subnets,
  ),
  SSO_DNS_SERVERS: variable(
    'Sign-in providers',
    'those of the system',
    'comma-separated name servers (address or address:port) that are asked for the TXT records of domains which organizations verify',
    nameServers,
  ),
  AUDIT_SINK: variable(
    'Audit',
    'off',
    'off, stdout, file or webhook: worker processes stream every audit row there as a line of JSON, in the order of commit, at least once',
    oneOf(['off', ...AUDIT_SINK_KINDS] as const, 'off'),
  ),
  AUDIT_FILE: variable('Audit', 'DATA_DIR/audit.ndjson', 'file of the sink file; lines are appended', text),
  AUDIT_WEBHOOK_URL: variable(
    'Audit',
    '',
    'receiver of the sink webhook; a private address must be in OUTBOUND_ALLOWED_SUBNETS',
    url(['http:', 'https:']),
  ),
  AUDIT_WEBHOOK_SECRET: secret(
    'Audit',
    '',
    'secret that signs by Standard Webhooks: whsec_ and base64 of 24 to 64 bytes',
    webhookKey,
  ),
  ENABLE_PAYMENT_BILLING: variable(
    'Billing',
    'false',
    'checkout and portal of the payment provider (true or false)',
    text,
  ),
  ENABLE_PAYMENT_WEBHOOKS: variable(
    'Billing',
    'false',
    'take the signed events of the payment provider (true or false)',
    text,
  ),
  PAYMENT_SECRET_KEY: secret('Billing', '', 'secret key of the account at the payment provider', text),
  PAYMENT_WEBHOOK_SECRET: secret('Billing', '', 'signing secret of the webhook endpoint at the provider', text),
  PAYMENT_PRICE_ID_PRO: variable('Billing', '', 'price identifier of the plan pro', text),
  PAYMENT_PRICE_ID_PRO_EUR: variable('Billing', '', 'its price in euro; unset: the one above', text),
  PAYMENT_PRICE_ID_SCALE: variable('Billing', '', 'price identifier of the plan scale', text),
  PAYMENT_PRICE_ID_ENTERPRISE: variable('Billing', '', 'price identifier of the plan enterprise', text),
  PAYMENT_SUCCESS_URL: variable(
    'Billing',
    '',
    'where the checkout of an organization ends; may hold {CHECKOUT_SESSION_ID}',
    text,
  ),
  PAYMENT_CANCEL_URL: variable('Billing', '', 'where it leads back to when it is given up', text),
  PAYMENT_PORTAL_RETURN_URL: variable(
    'Billing',
    '',
    'where the portal leads back to, unless the request says so',
    text,
  ),
  PAYMENT_API_BASE: variable('Billing', '', "another address of the provider's API, for a stand-in", text),
  ENABLE_BILLING_ADMIN: variable(
    'Administration',
    'false',
    'platform administration of organizations (true or false)',
    text,
  ),
  PLATFORM_ADMIN_EMAILS: variable('Administration', '', 'comma-separated addresses of platform administrators', list),
} as const;

export type VariableName = keyof typeof VARIABLES;
