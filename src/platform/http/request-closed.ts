import type { Request } from 'express';
import { RequestAborted } from './body-bytes.js';

/** Returns a signal that aborts when the connection closes before the whole answer is sent. */
export function whenClosed({ res }: Request): AbortSignal {
  const gone = new AbortController();
  res?.once('close', () => {
    if (!res.writableFinished) gone.abort(new RequestAborted());
  });
  return gone.signal;
}
