// Neighbour (c): Fastify 5 and one INSERT a request, without keys, limits and metering.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { announce, INSERT, makePool, TABLE, valuesOf } from './settings.mjs';

const pool = makePool();
await pool.query(TABLE);

const app = fastify();
app.post('/events', async (request) => {
  const id = randomUUID();
  await pool.query({ ...INSERT, values: valuesOf(id, request.body) });
  return { accepted: true, id };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
await announce(app.server);
