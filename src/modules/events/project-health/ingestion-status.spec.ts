import { describe, expect, it } from '@jest/globals';
import { ingestionStatus } from './ingestion-status.js';

describe('the status of ingestion', () => {
  it.each([
    ['no_events', 'before the first event', { hasEvents: false }],
    ['no_events', 'before the first event, whatever the keys', { hasEvents: false, activeKeys: 0, isArchived: true }],
    ['healthy', 'with events in the last 24 hours', {}],
    ['quiet', 'without events in the last 24 hours', { eventsLast24h: 0 }],
    ['failing', 'when no key is active', { activeKeys: 0 }],
    ['failing', 'when the project is archived', { isArchived: true }],
  ] as const)('is %s %s', (status, _, facts) => {
    const usual = { hasEvents: true, eventsLast24h: 3, activeKeys: 1, isArchived: false };
    expect(ingestionStatus({ ...usual, ...facts })).toBe(status);
  });
});
