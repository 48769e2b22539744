import type { IncomingMessage } from 'node:http';

/** The slot of a request without known credentials, which limits how many such requests run at once. */
export interface StrangerSlot {
  /** Releases the slot while the request waits, for example for its body. Further calls do nothing. */
  leave(): void;
  /** Waits until the request has a slot again. @throws DomainError 503 when the wait takes too long */
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
