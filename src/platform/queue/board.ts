import type { Queue } from 'bullmq';
import type { Application, RequestHandler } from 'express';
import { connectionErrors } from './connection-errors.js';

export interface BoardOptions {
  readonly title: string;
  /** Where it is mounted, without a slash at the end. */
  readonly path: string;
}

/**
 * bull-board over the queues, for looking alone: nobody retries, removes or promotes a job by it. Loaded when it is made,
 * since most processes never show it.
 */
export async function makeBoard(queues: Iterable<Queue>, { title, path }: BoardOptions): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const serverAdapter = new ExpressAdapter().setBasePath(path);
  createBullBoard({
    queues: [...queues].map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })),
    serverAdapter,
    options: { uiConfig: { boardTitle: title, hideRedisDetails: true } },
  });
  // Its own answer would be the stack of the error.
  serverAdapter.setErrorHandler((error) => {
    connectionErrors.report('the page of the queues', error);
    return { status: 500, body: { detail: 'Internal Server Error' } };
  });
  const board = serverAdapter.getRouter() as Application;
  board.disable('x-powered-by');
  return board;
}
