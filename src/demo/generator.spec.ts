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
    for (const event of generate()) {
      expect(event.event_type).toMatch(/^.{1,200}$/);
      expect(event.source).toMatch(/^.{1,200}$/);
      expect(event.event_id).toMatch(/^.{1,200}$/);
      expect(event.severity).toMatch(/^.{1,50}$/);
      expect(event.message).toMatch(/^.{1,2000}$/);
      expect(event.status).toMatch(/^.{1,100}$/);
      expect(event.environment).toMatch(/^.{1,100}$/);
      expect(event.timestamp).toBe(new Date(event.timestamp).toISOString());
      expect(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).toContain(event.payload.method);
      expect(event.payload.path).toMatch(/^\/[a-z0-9./]*$/);
      expect(statusOf(event)).toBeGreaterThanOrEqual(200);
      expect(statusOf(event)).toBeLessThan(600);
      expect(Number.isInteger(event.payload.latency_ms)).toBe(true);
      expect(event.payload.latency_ms).toBeGreaterThanOrEqual(1);
      expect(event.payload.latency_ms).toBeLessThanOrEqual(60_000);
      expect(Number.isInteger(event.payload.bytes)).toBe(true);
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
