// Neighbour (a): Express 5 and one INSERT a request, without keys, limits and metering.
import { randomUUID } from 'node:crypto';
import express from 'express';
import { announce, INSERT, makePool, TABLE, valuesOf } from './settings.mjs';

const pool = makePool();
await pool.query(TABLE);

const app = express();
app.use(express.json());
app.post('/events', async (request, response) => {
  const id = randomUUID();
  await pool.query({ ...INSERT, values: valuesOf(id, request.body) });
  response.json({ accepted: true, id });
});
await announce(app.listen(Number(process.env.PORT), '127.0.0.1'));
