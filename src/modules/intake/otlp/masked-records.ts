import type { Redaction } from '../../tenancy/projects/index.js';
import type { Attributes, AttributeList, LogRecord, Of, Origin, OtlpValue, Span } from './records.js';

/** Masks log records under the names of OpenTelemetry, because the mapping copies attributes under other names. */
export function* maskedLogs(records: Iterable<Of<LogRecord>>, redaction: Redaction): Generator<Of<LogRecord>, void> {
  if (redaction.isEmpty) {
    yield* records;
    return;
  }
  const origins = new MaskedOrigins(redaction);
  for (const { origin, item } of records) {
    const body = item.body === undefined ? undefined : (redaction.valueAt(['body'], item.body) as OtlpValue);
    yield { origin: origins.of(origin), item: { ...masked(item, redaction), body } };
  }
}

/** As {@link maskedLogs}, for spans and their exceptions. */
export function* maskedSpans(spans: Iterable<Of<Span>>, redaction: Redaction): Generator<Of<Span>, void> {
  if (redaction.isEmpty) {
    yield* spans;
    return;
  }
  const origins = new MaskedOrigins(redaction);
  for (const { origin, item } of spans) {
    const exceptions = item.exceptions.map((exception) => masked(exception, redaction));
    yield { origin: origins.of(origin), item: { ...masked(item, redaction), exceptions } };
  }
}

/** Masks each resource and scope once. A redacted resource has no attributes. */
class MaskedOrigins {
  private origin: Origin | undefined;
  private maskedOrigin: Origin | undefined;
  private resource: AttributeList | undefined;
  private maskedResource: AttributeList | undefined;

  constructor(private readonly redaction: Redaction) {}

  of(origin: Origin): Origin {
    if (origin === this.origin && this.maskedOrigin !== undefined) return this.maskedOrigin;
    this.origin = origin;
    const { resource, scope } = origin;
    if (resource !== this.resource || this.maskedResource === undefined) {
      this.resource = resource;
      const attributes = this.redaction.valueAt(['resource'], resource.attributes);
      this.maskedResource = {
        ...resource,
        attributes: typeof attributes === 'string' ? {} : (attributes as Attributes),
      };
    }
    this.maskedOrigin = { resource: this.maskedResource, scope };
    return this.maskedOrigin;
  }
}

function masked<Item extends AttributeList>(item: Item, redaction: Redaction): Item {
  return { ...item, attributes: redaction.properties(item.attributes) as Attributes };
}
