import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { constantTimeEqual } from '../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { JobQueue } from '../../../platform/queue/index.js';
import { SERVICE_TITLE } from '../../../platform/http/service-info.js';

export const JOB_BOARD_PATH = '/internal/board';

const ROUTE = { path: JOB_BOARD_PATH };

/**
 * A read-only page of the job queues for operators. It is not part of the API. Browsers send the internal job token as
 * the password of Basic authentication (with any user name), other clients in `X-Internal-Token`. Without a configured
 * token the page does not exist.
 */
@Injectable()
export class JobBoard {
  private page: Promise<RequestHandler> | undefined;

  constructor(
    private readonly queue: JobQueue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The handler for {@link JOB_BOARD_PATH}. Passes methods other than GET and HEAD to the next handler. */
  readonly handle = (request: Request, response: Response, next: NextFunction): void => {
    const expected = this.config.internalJobToken;
    if (expected === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    if (!constantTimeEqual(tokenOf(request), expected)) {
      response.set('WWW-Authenticate', 'Basic realm="jobs", charset="UTF-8"');
      response.status(NotAuthenticated.status).json({ detail: new NotAuthenticated().message });
      return;
    }
    // All paths of the page share one route label, so that they are one series of the metrics.
    Object.defineProperty(request, 'route', { get: () => ROUTE, set: () => undefined });
    this.page ??= this.queue.board({ title: SERVICE_TITLE, path: JOB_BOARD_PATH });
    this.page.then((page) => void page(request, response, next), next);
  };
}

function tokenOf({ headers }: Request): string {
  const header = headers['x-internal-token'];
  if (typeof header === 'string') return header;
  const [, credentials = ''] = /^basic ([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}
