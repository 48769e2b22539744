import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Returns a name for this process in claims and audits: host, process id and a random part, at most 120 characters. */
export function claimOwner(): string {
  return `${hostname().slice(0, 90)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}
