import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Returns a port on which nobody listens at the moment, for services that need their address before they start. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
