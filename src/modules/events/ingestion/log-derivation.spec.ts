import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deriveLog } from './log-derivation.js';

const derive = (properties: Record<string, unknown>, event = 'checkout') => deriveLog({ event, properties });

describe('log derivation', () => {
  it.each([
    [{ method: 'get', http_method: 'post' }, 'GET'],
    [{ http_method: 'post' }, 'POST'],
    [{ method: '', http_method: 'put' }, 'PUT'],
    [{ method: null, http_method: 'put' }, 'PUT'],
    [{ method: {} }, 'EVENT'],
    [{}, 'EVENT'],
  ])('takes the method of %j', (properties, method) => {
    expect(derive(properties).method).toBe(method);
  });

  it.each([
    [{ endpoint: '/a', path: '/b', route: '/c' }, '/a'],
    [{ path: '/b', route: '/c' }, '/b'],
    [{ route: '/c' }, '/c'],
    [{}, '/events/checkout'],
  ])('takes the endpoint of %j', (properties, endpoint) => {
    expect(derive(properties).endpoint).toBe(endpoint);
  });

  it.each([
    [{ status_code: 418, status: 'error' }, 418],
    [{ status_code: '404' }, 404],
    [{ status_code: 'teapot', status: 'warning' }, 400],
    [{ status_code: 99_999_999_999 }, 200],
    [{ status_code: 100 }, 100],
    [{ status_code: '599' }, 599],
    [{ status_code: 99, severity: 'critical' }, 500],
    [{ status_code: 600, status: 'warning' }, 400],
    [{ status_code: 0 }, 200],
    [{ status_code: -404 }, 200],
    [{ status_code: 200.5, status: 'error' }, 500],
    [{ status: 'error' }, 500],
    [{ status: 'failed' }, 500],
    [{ status: 'failure' }, 500],
    [{ status: 'warning', severity: 'critical' }, 400],
    [{ status: 'triggered', severity: 'critical' }, 200],
    [{ status: 'success' }, 200],
    [{ status: 'ok' }, 200],
    [{ status: 'info' }, 200],
    [{ status: 'pending', severity: 'critical' }, 500],
    [{ severity: 'critical' }, 500],
    [{ severity: 'warning' }, 400],
    [{ severity: 'info' }, 200],
    [{}, 200],
  ])('takes the status of %j', (properties, status) => {
    expect(derive(properties).status).toBe(status);
  });

  it('reads an error from the name of the event when nothing else tells', () => {
    expect(derive({}, 'payment.error').status).toBe(500);
    expect(derive({ status: 'ok' }, 'payment.error').status).toBe(200);
  });

  it.each([
    [{ latency_ms: 12, duration_ms: 99 }, 12],
    [{ duration_ms: 99 }, 99],
    [{ response_time_ms: 98 }, 98],
    [{ elapsed_ms: 97 }, 97],
    [{ latency_ms: 299.4 }, 299],
    [{ latency_ms: 299.5 }, 300],
    [{ latency_ms: '0.5' }, 1],
    [{ latency_ms: 0.4 }, 0],
    [{ latency_ms: '41' }, 41],
    [{ latency_ms: -5 }, 0],
    [{ latency_ms: 'soon', duration_ms: 7 }, 0],
    [{ latency_ms: null, duration_ms: 7 }, 7],
    [{ latency_ms: 1e300 }, 2_147_483_647],
    [{}, 0],
  ])('takes the latency of %j', (properties, latency) => {
    expect(derive(properties).latencyMs).toBe(latency);
  });

  it.each([
    [{ latency_ms: 0 }, true],
    [{ latency_ms: '41' }, true],
    [{ latency_ms: -3 }, false],
    [{ latency_ms: '-3' }, false],
    [{ latency_ms: 'soon' }, false],
    [{ latency_ms: '' }, false],
    [{ latency_ms: true }, false],
    [{ latency_ms: { ms: 5 } }, false],
    [{}, false],
  ])('says whether %j has a latency that was measured', (properties, hasLatency) => {
    expect(derive(properties).hasLatency).toBe(hasLatency);
  });

  it('yields only values that the columns can hold', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.jsonValue()), (event, properties) => {
        const derived = deriveLog({ event, properties });
        expect(Number.isInteger(derived.status)).toBe(true);
        expect(derived.status).toBeGreaterThanOrEqual(100);
        expect(derived.status).toBeLessThanOrEqual(599);
        expect(Number.isInteger(derived.latencyMs)).toBe(true);
        expect(derived.latencyMs).toBeGreaterThanOrEqual(0);
        expect(derived.method).toBe(derived.method.toUpperCase());
        expect(derived.endpoint).not.toBe('');
      }),
    );
  });

  it('does not mistake what every object inherits for properties', () => {
    expect(derive(JSON.parse('{"__proto__": {"method": "GET"}}') as Record<string, unknown>).method).toBe('EVENT');
  });
});
