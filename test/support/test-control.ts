import type { Test } from 'supertest';
import { service } from './running-service.js';

/** Makes the next statement of a request that contains the text fail. The request is identified by its X-Request-ID. */
export function failNextStatement(requestId: string, containing = ''): Promise<unknown> {
  return ask('POST', 'faults', { name: 'next-statement', target: requestId, containing });
}

/** Makes the next commit of a request fail before it is sent, so that its transaction is undone. */
export function failNextCommit(requestId: string): Promise<unknown> {
  return ask('POST', 'faults', { name: 'next-commit', target: requestId });
}

/** Breaks the next connection to a host (`127.0.0.1:4000`) before anything is sent. */
export function failNextOutboundCall(host: string): Promise<unknown> {
  return ask('POST', 'faults', { name: 'next-outbound-call', target: host });
}

/** Returns the SQL statements of an earlier request, in order. */
export async function statementsOf(requestId: string): Promise<readonly string[]> {
  return ((await ask('GET', 'statements', { request_id: requestId })) as { statements: string[] }).statements;
}

/** A plug-in of supertest: the request waits until all events are replicated to ClickHouse. */
export function afterReplication(test: Test): void {
  const end = test.end.bind(test);
  test.end = (done) => {
    ask('POST', 'replication').then(
      () => end(done),
      (error: unknown) => done?.(error as Error, undefined as never),
    );
    return test;
  };
}

/** Calls the test control of the service, whose routes `docs/testing-over-http.md` describes. */
async function ask(method: 'GET' | 'POST', route: string, query: Record<string, string> = {}): Promise<unknown> {
  const url = new URL(`/internal/test/${route}?${new URLSearchParams(query).toString()}`, service.url);
  const response = await fetch(url, { method, headers: { 'X-Test-Control-Token': service.controlToken } });
  if (!response.ok) throw new Error(`${method} ${url.pathname} answered ${response.status}`);
  return response.json();
}
