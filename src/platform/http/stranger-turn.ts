import type { IncomingMessage } from 'node:http';

/** The place that a request without credentials has among those at work. */
export interface StrangerTurn {
  /** Gives the place back while nothing is done for the request; further calls do nothing. */
  leave(): void;
  /** Has a place again. @throws DomainError 503 */
  enter(): Promise<void>;
}

const TURN = Symbol('turn of a stranger');

type Asking = IncomingMessage & { [TURN]?: StrangerTurn };

export function giveTurn(request: IncomingMessage, turn: StrangerTurn): void {
  (request as Asking)[TURN] = turn;
}

/** Undefined for a caller whose credentials are known. */
export function turnOf(request: IncomingMessage): StrangerTurn | undefined {
  return (request as Asking)[TURN];
}
