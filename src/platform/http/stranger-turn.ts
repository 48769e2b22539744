import type { IncomingMessage } from 'node:http';

/** The slot of a running request without credentials. */
export interface StrangerTurn {
  /** Gives the slot back while the request is idle. Further calls do nothing. */
  leave(): void;
  /** Waits until the request has a slot again. @throws DomainError 503 */
  enter(): Promise<void>;
}

const TURN = Symbol('turn of a stranger');

type Asking = IncomingMessage & { [TURN]?: StrangerTurn };

export function giveTurn(request: IncomingMessage, turn: StrangerTurn): void {
  (request as Asking)[TURN] = turn;
}

/** Returns the slot of a request, or undefined for a caller whose credentials are known. */
export function turnOf(request: IncomingMessage): StrangerTurn | undefined {
  return (request as Asking)[TURN];
}
