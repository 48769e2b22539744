// Events of the largest allowed size, and all routes that read many of them.
import { times } from './attacker.mjs';

const BYTES = 1_000_000;
const EVENTS_A_REQUEST = 4;

/** Returns an event that is filled with a list of `item`. */
function filled(item) {
  return JSON.stringify({ event_type: 'worst', source: 'w', message: 'm', payload: {} }).replace(
    '{}',
    `{"a":[${Array(Math.floor(BYTES / (item.length + 1)))
      .fill(item)
      .join(',')}]}`,
  );
}

const KINDS = {
  'lists of objects': { item: '{}', share: 1 },
  text: { item: `"${'x'.repeat(BYTES - 200)}"`, share: 0.5 },
  'numbers of twenty digits': { item: '1e20', share: 0.4 },
  'numbers of three hundred digits': { item: '1e308', share: 0.05 },
};

export const PAGES = Object.entries(KINDS).map(([kind, { item, share }]) => ({
  name: `1 MB events of ${kind}`,
  async prepare(attacker, size) {
    const line = filled(item);
    for (let left = Math.ceil(size.events * share); left > 0 && !attacker.deadline.aborted; left -= EVENTS_A_REQUEST) {
      await attacker.lines(Array(Math.min(left, EVENTS_A_REQUEST)).fill(line));
    }
    return {};
  },
  attacks: {
    '/v1/events': (attacker, size) =>
      times(size.readers, () => attacker.get(`/v1/events?project_id=${attacker.projectId}&limit=${size.rows}`)),
    '/v1/logs': (attacker, size) =>
      times(size.readers, () => attacker.get(`/v1/logs?project_id=${attacker.projectId}&range=all&limit=${size.rows}`)),
    explorer: (attacker, size) =>
      times(size.readers, () => attacker.get(`/v1/projects/${attacker.projectId}/events?range=all&limit=100`)),
    'events of the source': (attacker, size) =>
      times(size.readers, () => attacker.get(`/v1/ingest-sources/${attacker.sourceId}/events?limit=100`)),
    'observed schema': (attacker, size) =>
      times(size.readers, () => attacker.get(`/v1/ingest-sources/${attacker.sourceId}/schema`)),
    streams: (attacker, size) =>
      times(4 * size.readers, (at) =>
        attacker.send('GET', `/v1/${at % 2 === 0 ? 'events' : 'logs'}/stream?project_id=${attacker.projectId}`, {
          readMs: size.streamMs,
        }),
      ),
    exports: (attacker, size) =>
      times(size.readers, (at) =>
        attacker.post(`/v1/projects/${attacker.projectId}/events/export`, {
          range: 'all',
          format: at % 2 === 0 ? 'ndjson' : 'csv',
        }),
      ),
  },
}));
