import { Agent } from 'node:http';
import supertest, { type Test } from 'supertest';
import { checkAnswer } from './answer-check.js';
import { isOnClickHouse, service } from './running-service.js';
import { afterReplication } from './test-control.js';

/** A sender of requests: a signed-in person or an API key. */
export type Caller = { readonly accessToken: string } | { readonly apiKey: string };

type Body = object | string | undefined;

/** Requests that only read events. */
const TELLS_OF_EVENTS = /^(get|post .*\/(eql|export|backtest)$)/;

/**
 * Requests of a file share connections. Each request to a deployment has its own, because proxies may close connections
 * at any time.
 */
const connections = process.env.TEST_BASE_URL ? undefined : new Agent({ keepAlive: true });

/** Sends requests to the shared service, or to the one at `url`. Every answer is compared with the OpenAPI document. */
export class Api {
  constructor(
    private readonly credentials: Readonly<Record<string, string>> = {},
    private readonly url: string = service.url,
  ) {}

  /** Returns the same API with the credentials of a caller. */
  as(caller: Caller): Api {
    return new Api(
      'accessToken' in caller ? { Authorization: `Bearer ${caller.accessToken}` } : { 'X-API-Key': caller.apiKey },
      this.url,
    );
  }

  get(path: string, query?: object): Test {
    const test = this.send('get', path);
    return query === undefined ? test : test.query(query);
  }

  head(path: string): Test {
    return this.send('head', path);
  }

  post(path: string, body?: Body): Test {
    return this.send('post', path, body);
  }

  put(path: string, body?: Body): Test {
    return this.send('put', path, body);
  }

  patch(path: string, body?: Body): Test {
    return this.send('patch', path, body);
  }

  delete(path: string, body?: Body): Test {
    return this.send('delete', path, body);
  }

  private send(method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: Body): Test {
    const test = supertest(this.url)[method](path).set(this.credentials).use(checkAnswer);
    if (connections !== undefined) test.agent(connections);
    if (isOnClickHouse && TELLS_OF_EVENTS.test(`${method} ${path}`)) test.use(afterReplication);
    return body === undefined ? test : test.send(body);
  }
}

/** Sends requests without credentials. */
export const api = new Api();

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}
