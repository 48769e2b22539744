/** A value of an alert or an event; null when there is none. */
export type TemplateValue = string | number | null;

/** The values that placeholders stand for. */
export interface TemplateValues {
  readonly alert: {
    readonly id: TemplateValue;
    readonly message: TemplateValue;
    readonly severity: TemplateValue;
    readonly status: TemplateValue;
    readonly rule: TemplateValue;
    readonly url: TemplateValue;
    readonly started_at: TemplateValue;
    readonly group: unknown;
  };
  readonly event: {
    readonly id: TemplateValue;
    readonly type: TemplateValue;
    readonly source: TemplateValue;
    readonly message: TemplateValue;
    readonly timestamp: TemplateValue;
    readonly properties: unknown;
  };
  readonly project: { readonly id: string; readonly name: TemplateValue };
  readonly delivery: { readonly id: string; readonly attempt: number };
}

/** Names of a project, for texts and for the address of the console. */
export interface ProjectOfTemplate {
  readonly name: string;
  readonly slug: string;
  readonly organization: string;
}

/** The parts of a notification that become values. */
export interface TemplateSource {
  readonly alertId: string | null;
  readonly message: string | null;
  readonly severity: string | null;
  readonly status: string | null;
  readonly rule: string | null;
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly source: string | null;
  readonly payload: unknown;
  /**
   * The message of the event; null when there is no single event, or when an older version stored the notification.
   * `eventAt`, the time of the event, is null in the same cases.
   */
  readonly eventMessage: string | null;
  readonly eventAt: string | null;
  /** The values of the fields that the rule groups by. */
  readonly group: unknown;
  readonly createdAt: string | null;
  readonly projectId: string;
  /** Null: the project is gone. */
  readonly project: ProjectOfTemplate | null;
  readonly deliveryId: string;
  readonly attempt: number;
}

/** @param appUrl the address of the front end, without a slash at its end */
export function templateValues(source: TemplateSource, appUrl: string): TemplateValues {
  const { alertId, message, severity, status, rule, payload, createdAt, projectId, project } = source;
  return {
    alert: {
      id: alertId,
      message,
      severity,
      status,
      rule,
      url: alertId === null || project === null ? null : alertUrl(appUrl, project, alertId),
      started_at: createdAt,
      group: isEmpty(source.group) ? null : source.group,
    },
    event: {
      id: source.eventId,
      type: source.eventType,
      source: source.source,
      message: source.eventMessage,
      timestamp: source.eventAt,
      properties: payload,
    },
    project: { id: projectId, name: project?.name ?? null },
    delivery: { id: source.deliveryId, attempt: source.attempt },
  };
}

/** Returns whether the group has no members, as for a rule that groups by nothing. */
function isEmpty(group: unknown): boolean {
  return typeof group !== 'object' || group === null || Object.keys(group).length === 0;
}

/**
 * The values of a test: an example for every placeholder. Each test is a separate alert, so that an incident tool does
 * not merge it with an earlier one. Its severity is the lowest, so that nobody is paged.
 */
export function exampleValues(
  { projectId, deliveryId, attempt }: Pick<TemplateSource, 'projectId' | 'deliveryId' | 'attempt'>,
  appUrl: string,
): TemplateValues {
  return {
    alert: {
      id: deliveryId,
      message: 'Test notification: payments fail',
      severity: 'info',
      status: 'open',
      rule: 'Payments fail',
      url: alertUrl(appUrl, { slug: 'example', organization: 'example' }, deliveryId),
      started_at: '2026-03-01T12:00:00.000Z',
      group: { region: 'eu-west' },
    },
    event: {
      id: '0199f3a1-0000-7000-8000-000000000002',
      type: 'payment.failed',
      source: 'checkout',
      message: 'Test notification: payments fail',
      timestamp: '2026-03-01T12:00:00.000Z',
      // In a test, every path below `properties` has a value.
      properties: EXAMPLE_PROPERTIES,
    },
    project: { id: projectId, name: 'Example project' },
    delivery: { id: deliveryId, attempt },
  };
}

const EXAMPLE_PROPERTIES = Symbol('example properties');

const ALERT = ['id', 'message', 'severity', 'status', 'rule', 'url', 'started_at', 'group'] as const;
const EVENT = ['id', 'type', 'source', 'message', 'timestamp'] as const;
const PROPERTY = 'event.properties.';

/** All placeholders but those of properties, by name. */
const VALUES: ReadonlyMap<string, (values: TemplateValues) => unknown> = new Map([
  ...ALERT.map((name) => [`alert.${name}`, ({ alert }: TemplateValues): unknown => alert[name]] as const),
  ...EVENT.map((name) => [`event.${name}`, ({ event }: TemplateValues): unknown => event[name]] as const),
  ['project.id', ({ project }: TemplateValues): unknown => project.id],
  ['project.name', ({ project }: TemplateValues): unknown => project.name],
  ['delivery.id', ({ delivery }: TemplateValues): unknown => delivery.id],
  ['delivery.attempt', ({ delivery }: TemplateValues): unknown => delivery.attempt],
]);

/** The names that placeholders may have, for documents. `<path>` is a property, and a dot leads into an object. */
export const PLACEHOLDERS = [...VALUES.keys(), `${PROPERTY}<path>`];

export function isPlaceholder(name: string): boolean {
  return VALUES.has(name) || (name.startsWith(PROPERTY) && pathOf(name).every((part) => part !== ''));
}

/** Returns the value of a placeholder; null when there is none. */
export function valueOf(name: string, values: TemplateValues): unknown {
  const known = VALUES.get(name);
  if (known !== undefined) return known(values) ?? null;
  const { properties } = values.event;
  if (properties === EXAMPLE_PROPERTIES) return 'example';
  return propertyOf(properties, pathOf(name)) ?? null;
}

function pathOf(name: string): string[] {
  return name.slice(PROPERTY.length).split('.');
}

/** A property whose own name has dots is found as a whole, such as `http.route`. */
function propertyOf(properties: unknown, path: readonly string[]): unknown {
  const whole = memberOf(properties, path.join('.'));
  if (whole !== undefined) return whole;
  return path.reduce(memberOf, properties);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function alertUrl(
  appUrl: string,
  { organization, slug }: Pick<ProjectOfTemplate, 'organization' | 'slug'>,
  alertId: string,
): string {
  const path = [organization, slug].map(encodeURIComponent);
  return `${appUrl}/console/o/${path[0]}/p/${path[1]}/alerts?alert=${alertId}`;
}
