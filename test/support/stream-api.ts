import { StreamClient } from './event-stream.js';
import { type Account, service } from './service.js';

/** Opens an event stream of the service. */
export function openStream(path: string, { accessToken }: Pick<Account, 'accessToken'>): Promise<StreamClient> {
  // The parameter is an application for the suites that still start one. The client reads its address alone.
  const app = { url: service.url } as Parameters<typeof StreamClient.open>[0];
  return StreamClient.open(app, path, `Bearer ${accessToken}`);
}
