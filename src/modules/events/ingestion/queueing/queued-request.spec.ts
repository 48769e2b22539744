import { describe, expect, it } from '@jest/globals';
import { asOrganizationId, asProjectId } from '../../../access/index.js';
import { normalizeEvent } from '../normalized-event.js';
import type { Sender, WriteRequest } from '../../event-store/index.js';
import { decodeRequest, encodeRequest } from './queued-request.js';

const AT = new Date('2026-03-01T10:00:00.000Z');
const SENDER: Sender = {
  organizationId: asOrganizationId('o'),
  projectId: asProjectId('p'),
  sourceId: null,
  apiKeyId: 'k',
};
const EVENT = normalizeEvent(
  { event_type: 'a', source: 's', event_id: 'x-1', message: 'm', payload: { latency_ms: 5, z: 1, b: [null] } },
  'id',
  AT,
  (properties) => properties,
);
const REQUEST: WriteRequest = { sender: SENDER, events: [EVENT], idempotency: null };

/** An event as the first version of the queue encoded it. */
const QUEUED = {
  id: 'id',
  event: 'a',
  source: 's',
  severity: null,
  status: null,
  environment: null,
  message: 'm',
  externalEventId: 'x-1',
  timestamp: '2026-03-01T10:00:00.000Z',
  log: { method: 'EVENT', endpoint: '/events/a', status: 200, latencyMs: 5, hasLatency: true },
  properties: { latency_ms: 5, z: 1, b: [null], source: 's', message: 'm', event_id: 'x-1' },
};
const textOf = (event: object): string =>
  JSON.stringify({ sender: SENDER, acceptedAt: AT.getTime(), idempotency: null, events: [event] });

describe('a request in the queue', () => {
  it('comes back as it was put there', () => {
    expect(decodeRequest(encodeRequest(REQUEST, AT), 1, '')).toEqual({ ...REQUEST, acceptedAt: AT });
  });

  it('lies there under the names that every version knows', () => {
    expect(JSON.parse(encodeRequest(REQUEST, AT))).toMatchObject(JSON.parse(textOf(QUEUED)) as object);
  });

  it('has null for fields that the version which put it there did not know', () => {
    const { environment: _, ...older } = QUEUED;
    expect(decodeRequest(textOf(older), 1, '').events).toEqual([EVENT]);
  });
});
