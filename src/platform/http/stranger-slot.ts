import type { IncomingMessage } from 'node:http';

/** The slot of a running request without credentials. */
export interface StrangerSlot {
  /** Gives the slot back while the request is idle. Further calls do nothing. */
  leave(): void;
  /** Waits until the request has a slot again. @throws DomainError 503 */
  enter(): Promise<void>;
}

const SLOT = Symbol('slot of a stranger');

type StrangerRequest = IncomingMessage & { [SLOT]?: StrangerSlot };

export function attachSlot(request: IncomingMessage, slot: StrangerSlot): void {
  (request as StrangerRequest)[SLOT] = slot;
}

/** Returns the slot of a request, or undefined for a caller whose credentials are known. */
export function slotOf(request: IncomingMessage): StrangerSlot | undefined {
  return (request as StrangerRequest)[SLOT];
}
