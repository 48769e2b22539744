import { recorded } from './answer-check.js';
import { StreamClient } from './event-stream.js';
import { type Account, service } from './service.js';

/** Opens an event stream of the service. When recording is on, the stream is recorded at its end. */
export async function openStream(path: string, { accessToken }: Pick<Account, 'accessToken'>): Promise<StreamClient> {
  // The parameter is an application in suites that still start one. The client reads only its address.
  const app = { url: service.url } as Parameters<typeof StreamClient.open>[0];
  const stream = await StreamClient.open(app, path, `Bearer ${accessToken}`);
  void stream.over.then(() => {
    const [type = ''] = (stream.headers['content-type'] ?? '').split(';', 1);
    const { status, text } = stream;
    recorded?.record({ method: 'GET', url: path, sentType: '', sent: '', status, type, answered: text });
  });
  return stream;
}
