import { describe, expect, it } from '@jest/globals';
import { compileRedaction } from '../../tenancy/projects/index.js';
import type { IngestRequest } from '../fields/index.js';
import { normalizeEvent } from './normalized-event.js';

const ARRIVED = new Date('2026-03-01T10:00:00.000Z');
const normalize = (request: Partial<IngestRequest>, redacted: string[] = []) =>
  normalizeEvent({ event_type: 'checkout', source: 'web', ...request }, 'id', ARRIVED, compileRedaction(redacted));
const propertiesOf = (...parameters: Parameters<typeof normalize>) =>
  JSON.parse(normalize(...parameters).properties) as Record<string, unknown>;

describe('the normalized event', () => {
  it('lets properties win over payload and the top-level fields over both', () => {
    const properties = propertiesOf({
      payload: { a: 1, b: 1, status: 'from payload' },
      properties: { b: 2, severity: 'from properties', source: 'from properties' },
      severity: 'critical',
      event_id: 'x-1',
    });
    expect(properties).toEqual({
      a: 1,
      b: 2,
      status: 'from payload',
      severity: 'critical',
      source: 'web',
      event_id: 'x-1',
    });
  });

  it('repeats only the top-level fields that were supplied', () => {
    expect(propertiesOf({})).toEqual({ source: 'web' });
  });

  it('takes the time of arrival when none is given', () => {
    expect(normalize({}).timestamp).toEqual(ARRIVED);
    const timestamp = new Date('2015-05-17T10:05:03.000Z');
    expect(normalize({ timestamp }).timestamp).toEqual(timestamp);
  });

  it('keeps keys that name prototypes as plain data', () => {
    const payload = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Record<string, unknown>;
    const properties = propertiesOf({ payload });
    expect(Object.keys(properties).sort()).toEqual(['__proto__', 'constructor', 'source']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('takes stored fields and log columns from the masked properties', () => {
    const event = normalize(
      { message: 's3cret', event_id: 's3cret', status: 'error', payload: { path: '/s3cret', card: { pin: 's3cret' } } },
      ['message', 'event_id', 'path', 'card.pin', 'status'],
    );
    expect(JSON.stringify(event)).not.toContain('s3cret');
    expect(event).toMatchObject({
      message: '[redacted]',
      external_event_id: '[redacted]',
      status: '[redacted]',
      severity: null,
      log_endpoint: '[redacted]',
      log_status: 200,
    });
  });
});
