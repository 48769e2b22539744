import { REDACTED, type Redaction } from '../../tenancy/projects/index.js';
import type { Attributes, AttributeList, LogRecord, Of, Origin, OtlpValue, Span } from './records.js';

/**
 * For each member of an event, the attributes of a record from which the mapping copies it. When the project redacts
 * the member, the attributes are masked too.
 */
const COPIED: Readonly<Record<string, readonly string[]>> = {
  method: ['http.request.method', 'http.method', 'rpc.system', 'rpc.system.name'],
  path: ['url.path', 'http.target'],
  route: ['http.route', 'rpc.service', 'rpc.method', 'messaging.destination.template', 'messaging.destination.name'],
  status_code: ['http.response.status_code', 'http.status_code'],
};
/** The same for the attributes of exceptions and of resources. */
const COPIED_OF_EXCEPTION = { message: ['exception.message'] };
const COPIED_OF_RESOURCE = {
  source: ['service.name'],
  environment: ['deployment.environment.name', 'deployment.environment'],
};

/**
 * Masks the attributes of one kind of list. It applies redaction to their own names and to the members copied from
 * them.
 */
class AttributeMask {
  private readonly names: readonly string[];

  constructor(
    private readonly redaction: Redaction,
    copied: Readonly<Record<string, readonly string[]>>,
  ) {
    this.names = Object.keys(copied)
      .filter((member) => redaction.valueAt([member], '') === REDACTED)
      .flatMap((member) => copied[member] ?? []);
  }

  /** @param at the path of the attributes in the properties of an event */
  of(attributes: Attributes, at: readonly string[] = []): Attributes {
    const masked = this.redaction.valueAt(at, attributes);
    if (typeof masked === 'string') return {};
    for (const name of this.names) {
      if (Object.hasOwn(masked as Attributes, name)) (masked as Attributes)[name] = REDACTED;
    }
    return masked as Attributes;
  }
}

/** Masks log records under the names of OpenTelemetry, because the mapping copies attributes under other names. */
export function* maskedLogs(records: Iterable<Of<LogRecord>>, redaction: Redaction): Generator<Of<LogRecord>, void> {
  if (redaction.isEmpty) {
    yield* records;
    return;
  }
  const origins = new MaskedOrigins(redaction);
  const mask = new AttributeMask(redaction, COPIED);
  for (const { origin, item } of records) {
    const body = item.body === undefined ? undefined : (redaction.valueAt(['body'], item.body) as OtlpValue);
    yield { origin: origins.of(origin), item: { ...item, attributes: mask.of(item.attributes), body } };
  }
}

/** As {@link maskedLogs}, for spans and their exceptions. */
export function* maskedSpans(spans: Iterable<Of<Span>>, redaction: Redaction): Generator<Of<Span>, void> {
  if (redaction.isEmpty) {
    yield* spans;
    return;
  }
  const origins = new MaskedOrigins(redaction);
  const mask = new AttributeMask(redaction, COPIED);
  const exceptionMask = new AttributeMask(redaction, COPIED_OF_EXCEPTION);
  for (const { origin, item } of spans) {
    const exceptions = item.exceptions.map((one) => ({ ...one, attributes: exceptionMask.of(one.attributes) }));
    yield { origin: origins.of(origin), item: { ...item, attributes: mask.of(item.attributes), exceptions } };
  }
}

/** Masks each resource and scope once. A redacted resource has no attributes. */
class MaskedOrigins {
  private origin: Origin | undefined;
  private maskedOrigin: Origin | undefined;
  private resource: AttributeList | undefined;
  private maskedResource: AttributeList | undefined;
  private readonly mask: AttributeMask;

  constructor(redaction: Redaction) {
    this.mask = new AttributeMask(redaction, COPIED_OF_RESOURCE);
  }

  of(origin: Origin): Origin {
    if (origin === this.origin && this.maskedOrigin !== undefined) return this.maskedOrigin;
    this.origin = origin;
    const { resource, scope } = origin;
    if (resource !== this.resource || this.maskedResource === undefined) {
      this.resource = resource;
      this.maskedResource = { ...resource, attributes: this.mask.of(resource.attributes, ['resource']) };
    }
    this.maskedOrigin = { resource: this.maskedResource, scope };
    return this.maskedOrigin;
  }
}
