// Deliveries of one event to many receivers, and receivers that answer in the worst way.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { times } from './attacker.mjs';

/** Starts a receiver that never ends an answer. By turns it sends nothing, and data without an end. */
async function startReceiver() {
  let count = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    const isSilent = (count += 1) % 2 === 0;
    if (isSilent) return;
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const gush = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', gush);
    };
    gush();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const FANOUT = [
  {
    name: 'receivers that never end an answer',
    async prepare(attacker, size) {
      const receiver = await startReceiver();
      const ids = [];
      for (let at = 0; at < size.channels; at += 1) {
        const made = await attacker.create('/v1/delivery/channels', {
          project_id: attacker.projectId,
          name: `Channel ${at}`,
          type: 'webhook',
          configuration: { url: receiver.url },
        });
        if (made !== undefined) ids.push(made.id);
      }
      await times(Math.ceil(ids.length / 20), (at) =>
        attacker.create('/v1/alert-rules', {
          project_id: attacker.projectId,
          name: `Rule ${at}`,
          condition: { kind: 'match' },
          group_by: ['properties.n'],
          channel_ids: ids.slice(20 * at, 20 * at + 20),
          cooldown_seconds: 0,
        }),
      );
      return { ids, receiver };
    },
    attacks: {
      'tests of channels': (attacker, size, { ids }) =>
        times(2 * size.readers, (at) => {
          const id = ids[at % ids.length];
          return attacker.post(`/v1/delivery/channels/${id}/test?project_id=${attacker.projectId}`, {});
        }),
      'events to all channels': async (attacker, size) => {
        for (let sent = 0; sent < size.fanned; sent += 500) {
          const lines = Array.from({ length: Math.min(500, size.fanned) }, (_, at) =>
            JSON.stringify({ event_type: 'worst', source: 'w', payload: { n: sent + at } }),
          );
          await attacker.lines(lines);
        }
        await attacker.rest(size.matchMs);
      },
    },
    release: ({ receiver }) => receiver.close(),
  },
];
