import { describe, expect, it } from '@jest/globals';
import { generateEvents } from './generator.js';

const NOW = new Date('2026-03-14T09:30:00.000Z');
const DAY_MS = 24 * 3600 * 1000;

const generate = (options: Partial<Parameters<typeof generateEvents>[0]> = {}) =>
  generateEvents({ count: 5000, seed: 1, now: NOW, ...options });

const shareOf = <T>(items: readonly T[], is: (item: T) => boolean): number => items.filter(is).length / items.length;
const statusOf = (event: ReturnType<typeof generate>[number]): number => Number(event.payload.status_code);

describe('generateEvents', () => {
  it('makes the same events from the same seed', () => {
    expect(generate({ count: 200, seed: 7 })).toEqual(generate({ count: 200, seed: 7 }));
  });

  it('makes other events from another seed', () => {
    const paths = (seed: number) => generate({ count: 200, seed }).map((event) => event.payload.path);
    expect(paths(1)).not.toEqual(paths(2));
  });

  it('makes the same requests whatever the time is', () => {
    const payloads = (now: Date) => generate({ count: 200, now }).map((event) => event.payload);
    expect(payloads(NOW)).toEqual(payloads(new Date('2031-07-01T22:00:00.000Z')));
  });

  it('makes as many as asked for, each with an id of its own', () => {
    const events = generate({ count: 321 });
    expect(events).toHaveLength(321);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(321);
  });

  it('spreads them over the last 24 hours with the newest last', () => {
    const times = generate().map((event) => Date.parse(event.timestamp));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(NOW.getTime() - DAY_MS);
    expect(times.at(-1)).toBeLessThanOrEqual(NOW.getTime());
    const hours = new Set(times.map((time) => new Date(time).getUTCHours()));
    expect(hours.size).toBe(24);
  });

  it('is busier in the afternoon than at night', () => {
    const hours = generate().map((event) => new Date(event.timestamp).getUTCHours());
    const afternoon = shareOf(hours, (hour) => hour >= 13 && hour < 17);
    const night = shareOf(hours, (hour) => hour >= 1 && hour < 5);
    expect(afternoon).toBeGreaterThan(2 * night);
  });

  it('keeps every field within what ingestion takes', () => {
    type Event = ReturnType<typeof generate>[number];
    const isWithin = (value: string | number | undefined, min: number, max: number): boolean =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    const takes: Record<string, (event: Event) => boolean> = {
      event_type: ({ event_type }) => /^.{1,200}$/.test(event_type),
      source: ({ source }) => /^.{1,200}$/.test(source),
      event_id: ({ event_id }) => /^.{1,200}$/.test(event_id),
      severity: ({ severity }) => /^.{1,50}$/.test(severity),
      message: ({ message }) => /^.{1,2000}$/.test(message),
      status: ({ status }) => /^.{1,100}$/.test(status),
      environment: ({ environment }) => /^.{1,100}$/.test(environment),
      timestamp: ({ timestamp }) => timestamp === new Date(timestamp).toISOString(),
      method: ({ payload }) => ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(String(payload.method)),
      path: ({ payload }) => /^\/[a-z0-9./]*$/.test(String(payload.path)),
      status_code: (event) => isWithin(statusOf(event), 200, 599),
      latency_ms: ({ payload }) => isWithin(payload.latency_ms, 1, 60_000),
      bytes: ({ payload }) => Number.isInteger(payload.bytes),
    };
    const events = generate();
    // One assertion for each of 65,000 values would take ten seconds.
    for (const [field, isTaken] of Object.entries(takes)) {
      expect([field, events.filter((event) => !isTaken(event))]).toEqual([field, []]);
    }
  });

  it('mixes mostly successes with some refusals and a few server errors', () => {
    const statuses = generate().map(statusOf);
    expect(shareOf(statuses, (status) => status < 300)).toBeGreaterThan(0.85);
    expect(shareOf(statuses, (status) => status >= 400 && status < 500)).toBeGreaterThan(0.01);
    const errors = shareOf(statuses, (status) => status >= 500);
    expect(errors).toBeGreaterThan(0.003);
    expect(errors).toBeLessThan(0.03);
  });

  it('has latencies with a long tail', () => {
    const latencies = generate()
      .map((event) => Number(event.payload.latency_ms))
      .sort((a, b) => a - b);
    const at = (share: number): number => latencies[Math.floor(latencies.length * share)]!;
    expect(at(0.5)).toBeGreaterThan(10);
    expect(at(0.5)).toBeLessThan(150);
    expect(at(0.99)).toBeGreaterThan(4 * at(0.5));
  });

  it('calls server errors failed and names their cause', () => {
    const errors = generate().filter((event) => statusOf(event) >= 500);
    for (const event of errors)
      expect(event).toMatchObject({ event_type: 'http.error', severity: 'error', status: 'failed' });
  });
});
