import { AsyncLocalStorage } from 'node:async_hooks';

/** Who is being served, on every log line. It grows as guards find out: whoever has the object adds to it. */
export interface RequestContext {
  readonly requestId: string;
  /** When the request came: what `performance.now()` said. */
  readonly cameAt: number;
  organizationId?: string;
  projectId?: string;
  userId?: string;
  apiKeyId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all that it starts, in this context. What is added to it later is seen everywhere. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}
