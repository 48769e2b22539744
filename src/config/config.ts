/**
 * The parsed environment: frozen, typed, read once. Null or undefined means "not configured", unless a field says
 * otherwise.
 */
export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly http: {
    readonly port: number;
    readonly host: string;
    readonly trustProxy: false | true | number | string;
    /** The address of the front end, without a slash at its end. */
    readonly publicAppUrl: string;
    /** Whether /console serves the web page. */
    readonly servesConsole: boolean;
    /**
     * The base URL at which clients reach this API, without a trailing slash. Signed URLs begin with it. Undefined: the
     * scheme and host of the request are used.
     */
    readonly publicApiUrl: string | undefined;
    readonly corsOrigins: readonly string[];
    readonly maxBodyBytes: number;
  };
  /** The listener for operators. Every role has it, unless its port is 0. */
  readonly operations: {
    readonly host: string;
    readonly port: number;
    /** Whether the next free port may be used in place of one that is in use. */
    readonly takesNextPort: boolean;
  };
  readonly logLevel: LogLevel;
  /** Requests that are logged: none, those that ended with 5xx or were aborted, or all. */
  readonly accessLog: AccessLog;
  /**
   * Which traces are exported, and in what batches. The OpenTelemetry exporter itself reads the address from the
   * environment. Undefined: no spans are exported.
   */
  readonly tracing: Tracing | undefined;
  /** The absolute path of the data folder: embedded database, objects, captured mail and generated secrets. */
  readonly dataDir: { readonly path: string; readonly isDefault: boolean };
  /** Without a URL the service starts an embedded PostgreSQL in the data folder. */
  readonly database: {
    readonly url: string | undefined;
    readonly poolSize: number;
    /** Whether a start applies missing migrations, exits or waits. */
    readonly migrations: MigrationMode;
  };
  readonly redis: { readonly url: string | undefined };
  readonly rateLimits: {
    readonly backend: 'memory' | 'redis';
    /** The Redis that stores the limits; set when the backend is `redis`. */
    readonly redisUrl: string | undefined;
    /** Limits by policy; they replace the policy's own limits. */
    readonly overrides: Readonly<Partial<Record<RateLimitPolicyName, RateLimitOverride>>>;
    readonly authLoginIp: number;
    readonly authRegisterIp: number;
  };
  readonly queue: { readonly backend: 'postgres' | 'redis' };
  readonly process: { readonly role: ProcessRole; readonly runsApi: boolean; readonly runsWorkers: boolean };
  readonly metering: { readonly enabled: boolean };
  readonly ingestion: {
    readonly mode: IngestMode;
    /** Group commit: the maximum number of events in one transaction, and how long a batch waits for more events. */
    readonly batchMax: number;
    readonly batchWaitMs: number;
  };
  /** Where audit rows are streamed to. Null: nowhere. */
  readonly auditSink: AuditSink | null;
  readonly quotas: {
    /** Requests per month by plan, where a deployment sets them. Null: unlimited. */
    readonly monthlyRequests: Readonly<Partial<Record<string, number | null>>>;
    readonly requestQuotaMessage: string;
    /** Whether organizations are notified at 80 % and 100 % of their monthly quota. */
    readonly sendsNotices: boolean;
    /** The page on which a blocked organization can upgrade. */
    readonly upgradeUrl: string;
  };
  readonly tokens: {
    /** PEM texts (EC P-256). The first key signs. Undefined: a key is generated in the data folder. */
    readonly privateKeys: readonly string[] | undefined;
    readonly accessTtlSeconds: number;
    readonly refreshTtlSeconds: number;
  };
  /** Undefined: a key is generated in the data folder. */
  readonly credentialKeys: 'disabled' | readonly CredentialKey[] | undefined;
  /** The relying party of passkeys: its domain, the name authenticators show, and the origins of its pages. */
  readonly webauthn: { readonly rpId: string; readonly rpName: string; readonly origins: readonly string[] };
  /** The rules of the deployment for every sign-in. */
  readonly signInPolicy: {
    /** Whether an account without a second factor may do nothing but set one up. */
    readonly requiresSecondFactor: boolean;
    /**
     * Users with an address in these domains sign in through a provider, not with a password. In lower-case A-labels.
     */
    readonly passwordlessDomains: readonly string[];
  };
  readonly mail: { readonly smtpUrl: string | undefined; readonly from: string };
  /** How worker processes find due deliveries; times in seconds. */
  readonly deliveryRetries: {
    readonly batchSize: number;
    readonly pollSeconds: number;
    readonly leaseSeconds: number;
  };
  /** Sign-in by providers. Undefined: the provider is off. */
  readonly oauth: { readonly google: GoogleSignIn | undefined; readonly apple: AppleSignIn | undefined };
  /** OpenID Connect providers of companies, by name in lower case. Empty: none. */
  readonly oidcProviders: readonly OidcProvider[];
  /** Subnets that are exempt from the safety check of destinations that users give. */
  readonly outbound: { readonly allowedSubnets: readonly Subnet[] };
  /** The name servers that are queried for TXT records of SSO domains. Empty: the name servers of the system. */
  readonly ssoDnsServers: readonly string[];
  readonly storage: {
    /** Undefined: objects are files in the data folder. */
    readonly s3: S3Settings | undefined;
    readonly limits: Readonly<Record<PlanName, PlanStorageLimits>>;
    /** The maximum content of one upload request, in bytes. */
    readonly objectBodyMaxBytes: number;
    /** Whether overage is reported to the payment provider, and therefore allowed for organizations that pay. */
    readonly meteredBillingEnabled: boolean;
  };
  /**
   * The store that answers reads of events. With `clickhouse`, PostgreSQL answers only the reads that ClickHouse
   * cannot.
   */
  readonly eventReads: EventStoreName;
  /** The minimum number of days for which PostgreSQL keeps events that are also in ClickHouse. Undefined: for ever. */
  readonly eventsHotDays: number | undefined;
  /** The minimum number of days for which events are kept. Undefined: for ever. */
  readonly eventRetentionDays: number | undefined;
  /** The ClickHouse to which events are replicated. Undefined: none. */
  readonly eventStore: ClickHouseSettings | undefined;
  readonly internalJobToken: string | undefined;
  /** Opens /internal/test to tests; only allowed in the environment `test`. */
  readonly testControlToken: string | undefined;
  /** The values as given. They are checked when they are used, so the service starts without them. */
  readonly payment: PaymentNames;
  /** The text of ENABLE_BILLING_ADMIN, checked when it is used. */
  readonly billingAdministration: string | undefined;
  readonly platformAdminEmails: readonly string[];
}

/** Plans, lowest first. */
export const PLAN_NAMES = ['free', 'pro', 'scale', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** Limits in bytes. Null: unlimited. */
export interface PlanStorageLimits {
  readonly storageBytes: number | null;
  /** Content that is sent in a UTC month. */
  readonly bandwidthBytes: number | null;
  readonly fileBytes: number | null;
}

export interface S3Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is part of the path instead of the host name. */
  readonly forcePathStyle: boolean;
}

export const EVENT_STORES = ['postgres', 'clickhouse'] as const;
export type EventStoreName = (typeof EVENT_STORES)[number];

export interface ClickHouseSettings {
  /** The URL of the HTTP interface, without user, password and query. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The cluster's name in the configuration of the servers. Undefined: a single server. */
  readonly cluster: string | undefined;
}

/** Names of the rate limit policies. */
export const RATE_LIMIT_POLICY_NAMES = [
  'auth-login',
  'auth-register',
  'organization-invite-create',
  'organization-invite-owner-action',
  'events',
  'intake',
  'project-events-explorer',
  'project-dashboard',
  'api-keys-machine-auth',
  'api-keys-mutate',
  'billing-status',
  'billing-admin',
  'billing-self-serve',
  'search',
  'analytics',
  'eql',
  'logs',
  'performance',
  'usage',
  'sso-logout',
  'sso',
  'scim',
] as const;
export type RateLimitPolicyName = (typeof RATE_LIMIT_POLICY_NAMES)[number];

export interface RateLimitOverride {
  readonly ip: number;
  /** Undefined: the limit of the policy applies. */
  readonly credential: number | undefined;
}

export const INGEST_MODES = ['direct', 'batched', 'queued'] as const;
export type IngestMode = (typeof INGEST_MODES)[number];

export const MIGRATION_MODES = ['on', 'off', 'wait'] as const;
export type MigrationMode = (typeof MIGRATION_MODES)[number];

export type ProcessRole = 'api' | 'worker' | 'all';
export const ACCESS_LOGS = ['off', 'errors', 'all'] as const;
export type AccessLog = (typeof ACCESS_LOGS)[number];

/** The samplers of the OpenTelemetry specification that need no remote sampling service. */
export const TRACE_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type TraceSampler = (typeof TRACE_SAMPLERS)[number];

export interface Tracing {
  readonly sampling: TraceSampling;
  readonly batches: {
    /** Spans wait at most this long for their batch, in milliseconds. */
    readonly delayMs: number;
    /** Maximum number of spans in a batch. */
    readonly batchSize: number;
    /** Maximum number of spans in memory. Further spans are dropped. */
    readonly maxQueued: number;
  };
}

export interface TraceSampling {
  /** The share of traces that are exported, from 0 to 1. */
  readonly ratio: number;
  /** Whether the sampling flag of a client's `traceparent`, if present, decides instead of the ratio. */
  readonly followsParent: boolean;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface CredentialKey {
  readonly id: string;
  readonly key: Buffer;
}

export interface Subnet {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  /** Length of the prefix in bits. */
  readonly prefix: number;
}

export interface GoogleSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface AppleSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** PEM (EC P-256); signs the client secret of each request to the token endpoint. */
  readonly privateKey: string;
}

/** The roles that a sign-in by a company's provider may give, weakest first. */
export const COMPANY_ROLES = ['viewer', 'member', 'operator', 'admin'] as const;
export type CompanyRole = (typeof COMPANY_ROLES)[number];

/** An OpenID Connect provider that the operator has configured. */
export interface OidcProvider {
  /** The name as it appears in URLs, in lower case. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The text and the image of the button. The image is a `data:` URL. */
  readonly label: string;
  readonly icon: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Domains as lower-case A-labels. Null: all domains are allowed. */
  readonly allowedDomains: readonly string[] | null;
  /** The slug of the organization that people join, or null. */
  readonly organization: string | null;
  readonly role: CompanyRole;
  readonly groups: readonly GroupGrant[];
  readonly groupsClaim: string;
  /** Whether an address counts as verified when the provider sends no `email_verified`. */
  readonly trustsEmail: boolean;
}

/** The organization and the role that members of a group of the provider get. */
export interface GroupGrant {
  readonly group: string;
  /** The slug of the organization. */
  readonly organization: string;
  readonly role: CompanyRole;
}

/** The environment's values for the payment provider, by name. */
export type PaymentNames = Readonly<Record<PaymentName, string | undefined>>;

export const PAYMENT_NAMES = [
  'ENABLE_PAYMENT_BILLING',
  'ENABLE_PAYMENT_WEBHOOKS',
  'PAYMENT_SECRET_KEY',
  'PAYMENT_WEBHOOK_SECRET',
  'PAYMENT_PRICE_ID_PRO',
  'PAYMENT_PRICE_ID_PRO_EUR',
  'PAYMENT_PRICE_ID_SCALE',
  'PAYMENT_PRICE_ID_ENTERPRISE',
  'PAYMENT_SUCCESS_URL',
  'PAYMENT_CANCEL_URL',
  'PAYMENT_PORTAL_RETURN_URL',
  'PAYMENT_API_BASE',
] as const;
export type PaymentName = (typeof PAYMENT_NAMES)[number];

/** Injection token of the whole {@link Config}. */
export const CONFIG = Symbol('CONFIG');

export const AUDIT_SINK_KINDS = ['stdout', 'file', 'webhook'] as const;
export type AuditSinkKind = (typeof AUDIT_SINK_KINDS)[number];

export type AuditSink =
  | { readonly kind: 'stdout' }
  /** The absolute path of the file. */
  | { readonly kind: 'file'; readonly path: string }
  /** `key` signs the requests. */
  | { readonly kind: 'webhook'; readonly url: string; readonly key: Buffer };
