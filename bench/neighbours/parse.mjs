// Neighbour (e): parse-server on PostgreSQL, which stores the same object over its REST API.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { ParseServer } from 'parse-server';
import { announce, POOL_SIZE } from './settings.mjs';

// parse-server creates its log files in the current folder before it reads its options.
process.chdir(mkdtempSync(join(tmpdir(), 'parse-')));
const app = express();
const server = app.listen(Number(process.env.PORT), '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const serverURL = `http://127.0.0.1:${server.address().port}/parse`;
const parse = new ParseServer({
  databaseURI: process.env.DATABASE_URL,
  databaseOptions: { poolSize: POOL_SIZE },
  appId: 'bench',
  masterKey: 'bench-master',
  serverURL,
  allowClientClassCreation: true,
  silent: true,
  verbose: false,
  logsFolder: null,
});
await parse.start();
app.use('/parse', parse.app);
await announce(server);
