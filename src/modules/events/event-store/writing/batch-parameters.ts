import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArrayParameter, RowArrayParameter, type RowLayout } from '../../../../platform/database/array-parameter.js';
import { BROUGHT_COLUMNS, type CredentialColumn, type EventRow } from '../../fields/index.js';
import type { PendingWrite } from './pending-write.js';

/**
 * Parameters that are the same for every batch: the subscription statuses that allow ingestion, and the limits of each
 * plan.
 */
export type PlanParameters = Readonly<Record<'p_passing' | 'p_plans' | 'p_monthly' | 'p_daily' | 'p_requests', string>>;

/** Uses the parameter names of `ingest_events`, always in the same order. */
type ParametersByName = Readonly<Record<string, string | Buffer | null>>;

/** The columns of an event in a batch, which are the attributes of the SQL type `ingested_event`. */
const EVENT_COLUMNS = { request: 'int4', position: 'int4', ...BROUGHT_COLUMNS } as const;

/** Events that are added before the event loop is yielded to other requests. They take some 20 ms. */
const EVENTS_PER_TURN = 2_000;

/**
 * Converts a batch into the parameters of one call of `ingest_events`; its migration explains them. The buffers are
 * reused for each batch of a connection, because new buffers would be most of the garbage of a batch.
 */
export class BatchParameters {
  private readonly places = new PlaceTable();
  private readonly requests = new RequestTable();
  private readonly keys = new KeyTable();
  private readonly uniqueKeys = new UniqueKeyTable();
  private readonly arrays = { ...this.places.arrays, ...this.requests.arrays, ...this.keys.arrays };
  private readonly events: RowArrayParameter<typeof EVENT_COLUMNS>;

  /**
   * @param eventType the current layout of the SQL type `ingested_event`
   * @throws RowTypeDiffers
   */
  constructor(
    private readonly plans: PlanParameters,
    eventType: RowLayout,
  ) {
    this.events = new RowArrayParameter(eventType, EVENT_COLUMNS);
  }

  /**
   * Returns parameters that are valid until the next call, which must wait for this one. All requests have the same
   * `day`. With unique keys the parameters are those of `ingest_unique_events`.
   */
  async of(batch: readonly PendingWrite[], metered: boolean): Promise<ParametersByName> {
    this.reset();
    let unbroken = 0;
    for (const [index, write] of batch.entries()) {
      this.requests.add(write, this.places.numberOf(write));
      if (write.request.idempotency !== null) this.keys.add(write, index + 1);
      this.uniqueKeys.add(write, index + 1);
      const shared = columnsOf(write, index + 1);
      for (const event of write.events) {
        shared.position += 1;
        this.events.add(event, shared);
        unbroken += 1;
        if (unbroken % EVENTS_PER_TURN === 0) await nextTurn();
      }
    }
    return {
      p_day: batch[0]?.day ?? null,
      ...this.plans,
      ...buffersOf(this.arrays),
      ...(this.uniqueKeys.isEmpty ? {} : buffersOf(this.uniqueKeys.arrays)),
      p_events: this.events.toBuffer(),
      p_metered: String(metered),
    };
  }

  private reset(): void {
    this.places.forget();
    for (const array of Object.values(this.arrays)) array.reset();
    this.uniqueKeys.forget();
    this.events.reset();
  }
}

function buffersOf(arrays: Readonly<Record<string, ArrayParameter>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, array.toBuffer()]));
}

/** Returns the columns that all events of a request share. `position` starts before the first event. */
function columnsOf(
  { request: { sender } }: PendingWrite,
  request: number,
): Pick<EventRow, CredentialColumn> & { request: number; position: number } {
  return {
    request,
    position: 0,
    project_id: sender.projectId,
    source_id: sender.sourceId,
    api_key_id: sender.apiKeyId,
  };
}

class PlaceTable {
  private readonly numbers = new Map<string, number>();
  readonly arrays = {
    d_organization: new ArrayParameter('uuid'),
    d_project: new ArrayParameter('uuid'),
    d_source: new ArrayParameter('uuid'),
  };

  forget(): void {
    this.numbers.clear();
  }

  /** Returns the number of a project and source, from 1. */
  numberOf({ request: { sender } }: PendingWrite): number {
    const identity = sender.sourceId === null ? sender.projectId : `${sender.projectId}${sender.sourceId}`;
    const known = this.numbers.get(identity);
    if (known !== undefined) return known;
    const number = this.numbers.size + 1;
    this.numbers.set(identity, number);
    this.arrays.d_organization.add(sender.organizationId);
    this.arrays.d_project.add(sender.projectId);
    this.arrays.d_source.add(sender.sourceId);
    return number;
  }
}

class RequestTable {
  readonly arrays = {
    r_day: new ArrayParameter('int4'),
    r_key: new ArrayParameter('uuid'),
    r_events: new ArrayParameter('int4'),
    r_accepted_at: new ArrayParameter('timestamptz'),
  };

  add({ request, events }: PendingWrite, place: number): void {
    this.arrays.r_day.add(place);
    this.arrays.r_key.add(request.sender.apiKeyId);
    this.arrays.r_events.add(events.length);
    if (request.acceptedAt !== undefined) this.arrays.r_accepted_at.add(request.acceptedAt);
  }
}

class KeyTable {
  readonly arrays = {
    k_request: new ArrayParameter('int4'),
    k_key: new ArrayParameter('text'),
    k_hash: new ArrayParameter('bytea'),
    k_answer: new ArrayParameter('jsonb'),
  };

  add({ request: { idempotency }, record }: PendingWrite, number: number): void {
    if (idempotency === null) return;
    this.arrays.k_request.add(number);
    this.arrays.k_key.add(idempotency.key);
    this.arrays.k_hash.add(idempotency.hash);
    this.arrays.k_answer.add(record);
  }
}

class UniqueKeyTable {
  readonly arrays = {
    u_request: new ArrayParameter('int4'),
    u_project: new ArrayParameter('uuid'),
    u_digest: new ArrayParameter('bytea'),
    u_event: new ArrayParameter('uuid'),
  };
  isEmpty = true;

  forget(): void {
    this.isEmpty = true;
    for (const array of Object.values(this.arrays)) array.reset();
  }

  add({ request: { uniqueKeys, sender }, events }: PendingWrite, number: number): void {
    if (uniqueKeys === undefined) return;
    for (const { id } of events) {
      const digest = uniqueKeys.get(id);
      if (digest === undefined) continue;
      this.isEmpty = false;
      this.arrays.u_request.add(number);
      this.arrays.u_project.add(sender.projectId);
      this.arrays.u_digest.add(digest);
      this.arrays.u_event.add(id);
    }
  }
}
