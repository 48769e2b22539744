import type { Queue } from 'bullmq';
import type { Application, RequestHandler } from 'express';
import { connectionErrors } from './connection-errors.js';

export interface BoardOptions {
  readonly title: string;
  /** The path where the board is mounted, without a slash at the end. */
  readonly path: string;
}

/**
 * Creates a read-only bull-board for the queues: jobs cannot be retried, removed or promoted. The libraries are loaded
 * on creation, because most processes never show the board.
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
  // The default handler would put the stack of the error into the answer.
  serverAdapter.setErrorHandler((error) => {
    connectionErrors.report('the page of the queues', error);
    return { status: 500, body: { detail: 'Internal Server Error' } };
  });
  const board = serverAdapter.getRouter() as Application;
  board.disable('x-powered-by');
  return board;
}
