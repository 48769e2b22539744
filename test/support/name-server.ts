import type { TxtReply } from './programs/name-server.mjs';
import { service } from './running-service.js';

/** Sets what the name server of the shared service answers for the TXT records of a name. */
export async function replyTo(name: string, reply: TxtReply): Promise<void> {
  const { ok, status } = await fetch(service.nameServer.control, {
    method: 'PUT',
    body: JSON.stringify({ name, reply }),
  });
  if (!ok) throw new Error(`the name server answers ${status}`);
}
