import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { nameEnums } from './enums.js';
import { shareInherited, takeLineages } from './inheritance.js';
import { type Limits, type Sentences, takeLimits } from './limits.js';
import { hoistNamedSchemas } from './named-schemas.js';
import type { Operation } from './operation.js';
import { type OtherPaths, takeOtherPaths } from './other-paths.js';
import { explodeQueryLists } from './query-lists.js';
import { unwrapReferences } from './references.js';
import { type KnownCodes, REFUSAL_SCHEMAS, writeRefusals } from './refusals.js';
import { shareParts } from './shared-parts.js';
import { splitVariants } from './variants.js';
import { describeCommon } from './words.js';
import { SERVICE_TITLE, SERVICE_VERSION } from '../platform/http/service-info.js';

/** The tags of the document, in the order in which a new user needs them. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['auth', 'Sign-in: passwords, second factors, passkeys, Google and Apple, sessions.'],
  ['account', 'What people set about themselves: name, address, factors, devices.'],
  ['organizations', 'Organizations with their members and invitations.'],
  ['projects', 'Projects with their members, settings, dashboard and stored events.'],
  ['ingest-sources', 'Event sources: where events come from, with keys and figures of their own.'],
  ['api-keys', 'Keys that programs send and read events with.'],
  ['events', 'Ingestion by API key, and reading back what came.'],
  ['logs', 'Events seen as requests: method, endpoint, status, latency.'],
  ['search', 'One search for everything in a project.'],
  ['eql', 'Queries of events and sequences of events in the Event Query Language.'],
  ['analytics', 'Totals, series, breakdowns and funnels of events.'],
  ['performance', 'Latencies, error rates and apdex by endpoint.'],
  ['alert-rules', 'Rules that watch events and raise alert events.'],
  ['alerts', 'Alert events with all that is done about them, their silences and deliveries.'],
  ['alert-destinations', 'Webhooks and Slack channels that alert events are told to.'],
  ['sentinel', 'What the service finds unusual by itself.'],
  ['delivery', 'Channels by webhook and mail: attempts, retries, replays and drains, with evidence.'],
  ['secrets', 'Credentials that headers of deliveries name and no answer holds.'],
  ['core', 'Objects: files of a project, in one request or in parts.'],
  ['usage', 'What counts towards the plan.'],
  ['billing', 'Plans, checkout and payment.'],
  ['health', 'Whether the service works.'],
  ['internal', 'Rounds of jobs, for whoever operates the service.'],
  ['invitations', 'An invitation as the invited person sees it.'],
  ['sso', "Sign-in by a company's identity provider, and its settings."],
  ['scim', 'Accounts and groups that an identity provider keeps, by SCIM 2.0.'],
  ['intake', 'Events in the formats of other programs: JSON of any shape, CloudEvents, OTLP, webhooks.'],
];

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** One line of `docs/api/routes.txt`. */
export interface RouteLine {
  method: string;
  path: string;
  access: string;
  /** The parameter that names the tenant, or the class that finds it. */
  tenant: string;
  handler: string;
}

export interface BuiltDocument {
  /** OpenAPI 3.1: without servers, global security and 429 answers, which {@link clientDocument} adds. */
  readonly document: OpenAPIObject;
  /** The paths that only {@link clientDocument} describes. */
  readonly others: OtherPaths;
  readonly routes: readonly RouteLine[];
  readonly limits: Limits;
}

/** The parts of the document that depend on this deployment. */
export interface Deployment {
  /** Whether a rate limit policy applies to a route. */
  readonly isLimited: (method: string, path: string) => boolean;
  /** The deployment's own sentences of refusals, by the sentence in the code. */
  readonly ownSentences: Readonly<Record<string, string>>;
}

export function buildDocument(app: INestApplication, { isLimited, ownSentences }: Deployment): BuiltDocument {
  const builder = new DocumentBuilder()
    .setTitle(SERVICE_TITLE)
    .setVersion(SERVICE_VERSION)
    .setDescription(
      'Signs people in, takes operational events, shows them as logs and usage. Every answer carries `X-Request-ID`; every failure is `{"detail": …}`. Times are UTC ISO 8601 with milliseconds, identifiers are UUIDv7.',
    )
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of POST /v1/auth/login' },
      'bearer',
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), { operationIdFactory: handlerName });
  delete (document as { servers?: unknown }).servers;
  document.info.contact = { name: 'The Operational Event Service authors' };
  document.components ??= {};
  document.components.schemas = { ...document.components.schemas, ...(REFUSAL_SCHEMAS as object) };
  document.paths = sorted(document.paths);

  const routes: RouteLine[] = [];
  const limits: Record<string, Sentences> = {};
  const codes: KnownCodes = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = (item as Partial<Record<string, Operation>>)[method];
      if (operation === undefined) continue;
      const { 'x-access': access = 'undeclared', 'x-tenant': tenant = '-', 'x-operation-id': named } = operation;
      const handler = operation.operationId ?? '?';
      operation.operationId = named ?? handler;
      delete operation['x-operation-id'];
      // Names of classes are for readers of the route table only.
      delete operation['x-tenant'];
      addLinesBody(operation);
      addStreamBody(operation);
      const sentences = takeLimits(operation, isLimited(method.toUpperCase(), path));
      if (Object.keys(sentences).length > 0) limits[operation.operationId] = sentences;
      writeRefusals(operation, ownSentences, codes);
      operation.responses = sorted(operation.responses);
      routes.push({ method: method.toUpperCase(), path, access, tenant, handler });
    }
  }
  const lineages = takeLineages(document);
  document.paths = unwrapReferences(document.paths);
  document.components.schemas = unwrapReferences(document.components.schemas);
  hoistNamedSchemas(document);
  splitVariants(document);
  describeCommon(document);
  nameEnums(document);
  shareInherited(document, lineages);
  document.components.schemas = sorted(document.components.schemas);
  explodeQueryLists(document);
  const others = takeOtherPaths(document);
  shareParts(document, others);
  return { document, others, routes: routes.filter(({ path }) => path in document.paths), limits };
}

function handlerName(controller: string, method: string): string {
  return `${controller}.${method}`;
}

/** Adds the media type `application/x-ndjson` to a body that may also be sent as lines. */
function addLinesBody(operation: Operation): void {
  const { 'x-ndjson-body': description, requestBody } = operation;
  delete operation['x-ndjson-body'];
  if (description === undefined || requestBody === undefined) return;
  requestBody.content = { ...requestBody.content, 'application/x-ndjson': { schema: { type: 'string', description } } };
}

/** Documents a body that the handler reads as a stream. The generator cannot see such a body. */
function addStreamBody(operation: Operation): void {
  const { 'x-stream-body': content } = operation;
  delete operation['x-stream-body'];
  if (content === undefined) return;
  operation.requestBody = {
    required: true,
    content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
  };
}

/** Returns `docs/api/routes.txt`: method, path, access, tenant and handler of every operation, aligned. */
export function renderRoutes(routes: readonly RouteLine[]): string {
  const width = (pick: (route: RouteLine) => string): number => Math.max(...routes.map((route) => pick(route).length));
  const [path, access] = [width((route) => route.path), width((route) => route.access)];
  const tenant = width((route) => route.tenant);
  const lines = routes.map((route) =>
    [
      route.method.padEnd(6),
      route.path.padEnd(path),
      route.access.padEnd(access),
      route.tenant.padEnd(tenant),
      route.handler,
    ]
      .join(' ')
      .trimEnd(),
  );
  return `# Who may call what, and what names the tenant or finds it. Generated by \`npm run generate\`.\n${lines.join('\n')}\n`;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
