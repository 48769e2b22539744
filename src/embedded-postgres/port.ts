import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

/** Returns the port of the cluster's last start when it is free, otherwise any free port of 127.0.0.1. */
export async function choosePort(data: string): Promise<number> {
  const last = await lastPort(data);
  return (last === null ? null : await tryPort(last)) ?? (await anyPort());
}

/** Returns a free port. Another program may take it before it is used. */
export async function anyPort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}

/** Reads the port from the command line of the last start, which PostgreSQL stores. */
async function lastPort(data: string): Promise<number | null> {
  const options = await readFile(join(data, 'postmaster.opts'), 'utf8').catch(() => '');
  const found = /"?-p"?\s+"?(\d+)/.exec(options)?.[1];
  return found === undefined ? null : Number(found);
}

async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1' });
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return address.port;
  } catch {
    return null;
  }
}
