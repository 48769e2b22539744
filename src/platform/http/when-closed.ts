import type { Request } from 'express';
import { RequestAborted } from './body-bytes.js';

/** Aborted when the client leaves before it has its answer. */
export function whenClosed({ res }: Request): AbortSignal {
  const gone = new AbortController();
  res?.once('close', () => {
    if (!res.writableFinished) gone.abort(new RequestAborted());
  });
  return gone.signal;
}
