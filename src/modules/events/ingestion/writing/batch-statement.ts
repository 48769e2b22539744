import { ArrayParameter } from '../../../../platform/database/array-parameter.js';
import type { Statement } from '../../../../platform/database/dedicated-connection.js';
import type { PendingWrite } from './pending-write.js';

/** Parameters that are the same for every batch: what passes and what each plan allows. */
export type PlanParameters = readonly [
  passing: string,
  plans: string,
  monthly: string,
  daily: string,
  requests: string,
];

const PARAMETERS = 39;
const TEXT = `SELECT accepted_at, verdicts FROM ingest_events(${Array.from({ length: PARAMETERS }, (_, at) => `$${at + 1}`).join(', ')})`;

/**
 * A batch as one call of `ingest_events`; its migration explains the parameters. It is filled again for each batch of a
 * connection: some forty buffers made anew for each would be most of what a batch leaves to the collector.
 */
export class BatchStatement {
  private readonly places = new PlaceTable();
  private readonly requests = new RequestTable();
  private readonly keys = new KeyTable();
  private readonly events = new EventTable();
  private readonly arrays = [
    ...this.places.arrays,
    ...this.requests.arrays,
    ...this.keys.arrays,
    ...this.events.arrays,
  ];

  constructor(private readonly plans: PlanParameters) {}

  /** All requests are of one `day`. What it returns holds until the next call. */
  of(batch: readonly PendingWrite[], metered = true): Statement {
    this.places.forget();
    for (const array of this.arrays) array.reset();
    for (const [index, write] of batch.entries()) {
      this.requests.add(write, this.places.numberOf(write));
      if (write.request.idempotency !== null) this.keys.add(write, index + 1);
      this.events.add(write, index + 1);
    }
    const buffers = this.arrays.map((array) => array.toBuffer());
    return {
      name: 'ingest_events',
      text: TEXT,
      values: [batch[0]?.day ?? null, ...this.plans, ...buffers, String(metered)],
    };
  }
}

/** Projects and sources, each once. */
class PlaceTable {
  private readonly numbers = new Map<string, number>();
  private readonly organization = new ArrayParameter('uuid');
  private readonly project = new ArrayParameter('uuid');
  private readonly source = new ArrayParameter('uuid');
  readonly arrays = [this.organization, this.project, this.source];

  forget(): void {
    this.numbers.clear();
  }

  /** From 1. */
  numberOf({ request: { sender } }: PendingWrite): number {
    const identity = sender.sourceId === null ? sender.projectId : `${sender.projectId}${sender.sourceId}`;
    const known = this.numbers.get(identity);
    if (known !== undefined) return known;
    const number = this.numbers.size + 1;
    this.numbers.set(identity, number);
    this.organization.addUuid(sender.organizationId);
    this.project.addUuid(sender.projectId);
    this.source.addUuid(sender.sourceId);
    return number;
  }
}

class RequestTable {
  private readonly place = new ArrayParameter('int4');
  private readonly key = new ArrayParameter('uuid');
  private readonly count = new ArrayParameter('int4');
  private readonly acceptedAt = new ArrayParameter('timestamptz');
  readonly arrays = [this.place, this.key, this.count, this.acceptedAt];

  add({ request, events }: PendingWrite, place: number): void {
    this.place.addInteger(place);
    this.key.addUuid(request.sender.apiKeyId);
    this.count.addInteger(events.length);
    if (request.acceptedAt !== undefined) this.acceptedAt.addTime(request.acceptedAt);
  }
}

class KeyTable {
  private readonly request = new ArrayParameter('int4');
  private readonly key = new ArrayParameter('text');
  private readonly hash = new ArrayParameter('bytea');
  private readonly answer = new ArrayParameter('jsonb');
  readonly arrays = [this.request, this.key, this.hash, this.answer];

  add({ request: { idempotency }, record }: PendingWrite, number: number): void {
    if (idempotency === null) return;
    this.request.addInteger(number);
    this.key.addText(idempotency.key);
    this.hash.addBytes(idempotency.hash);
    this.answer.addJson(record);
  }
}

class EventTable {
  private readonly request = new ArrayParameter('int4');
  private readonly position = new ArrayParameter('int4');
  private readonly project = new ArrayParameter('uuid');
  private readonly source = new ArrayParameter('uuid');
  private readonly key = new ArrayParameter('uuid');
  private readonly timestamp = new ArrayParameter('timestamptz');
  private readonly id = new ArrayParameter('uuid');
  private readonly event = new ArrayParameter('text');
  private readonly origin = new ArrayParameter('text');
  private readonly severity = new ArrayParameter('text');
  private readonly status = new ArrayParameter('text');
  private readonly environment = new ArrayParameter('text');
  private readonly message = new ArrayParameter('text');
  private readonly external = new ArrayParameter('text');
  private readonly properties = new ArrayParameter('jsonb');
  private readonly bytes = new ArrayParameter('int4');
  private readonly method = new ArrayParameter('text');
  private readonly endpoint = new ArrayParameter('text');
  private readonly logStatus = new ArrayParameter('int4');
  private readonly latency = new ArrayParameter('int4');
  private readonly hasLatency = new ArrayParameter('bool');
  readonly arrays = [
    this.request,
    this.position,
    this.project,
    this.source,
    this.key,
    this.timestamp,
    this.id,
    this.event,
    this.origin,
    this.severity,
    this.status,
    this.environment,
    this.message,
    this.external,
    this.properties,
    this.bytes,
    this.method,
    this.endpoint,
    this.logStatus,
    this.latency,
    this.hasLatency,
  ];

  add({ request: { sender }, events }: PendingWrite, number: number): void {
    for (const [index, event] of events.entries()) {
      this.request.addInteger(number);
      this.position.addInteger(index + 1);
      this.project.addUuid(sender.projectId);
      this.source.addUuid(sender.sourceId);
      this.key.addUuid(sender.apiKeyId);
      this.timestamp.addTime(event.timestamp);
      this.id.addUuid(event.id);
      this.event.addText(event.event);
      this.origin.addText(event.source);
      this.severity.addText(event.severity);
      this.status.addText(event.status);
      this.environment.addText(event.environment);
      this.message.addText(event.message);
      this.external.addText(event.externalEventId);
      this.properties.addJson(event.json);
      this.bytes.addInteger(event.bytes);
      this.method.addText(event.log.method);
      this.endpoint.addText(event.log.endpoint);
      this.logStatus.addInteger(event.log.status);
      this.latency.addInteger(event.log.latencyMs);
      this.hasLatency.addBoolean(event.log.hasLatency);
    }
  }
}
