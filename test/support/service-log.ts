import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.js';
import { LeftOut } from './left-out.js';
import { api, service } from './service.js';

/**
 * Returns the log of the shared service so far, as written. Lines reach the file some time after the answer of their
 * request. This function therefore sends a request of its own and waits for its line, which follows the lines of all
 * requests that were answered before.
 */
export async function logText(): Promise<string> {
  const file = join(service.dataDir, 'service.log');
  // Only a service that the run has started writes its log there.
  if (!existsSync(file)) throw new LeftOut('needs the log of the service');
  const requestId = randomUUID();
  // The log of a whole run has many megabytes, so only its end is read again and again.
  const { size: start } = await stat(file);
  await api.get('/v1/auth/me').set('X-Request-ID', requestId).expect(401);
  await eventually(
    () => text(createReadStream(file, { start })),
    (end) => end.includes(requestId),
    () => `no line of the log has the request id ${requestId}`,
  );
  return readFile(file, 'utf8');
}
