import { AsyncLocalStorage } from 'node:async_hooks';

/** Who is being served; grows as guards find out, and is on every log line. */
export interface RequestContext {
  readonly requestId: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly userId?: string;
  readonly apiKeyId?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const storage = new AsyncLocalStorage<Mutable<RequestContext>>();

/** Runs `work`, and all that it starts, in this context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run({ ...context }, work);
}

/** Undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Adds to the context of the running request, for its callers too; without a context it does nothing. Undefined leaves a field as it is. */
export function setContext(partial: Partial<RequestContext>): void {
  const store = storage.getStore();
  if (store === undefined) return;
  if (partial.requestId !== undefined) store.requestId = partial.requestId;
  if (partial.organizationId !== undefined) store.organizationId = partial.organizationId;
  if (partial.projectId !== undefined) store.projectId = partial.projectId;
  if (partial.userId !== undefined) store.userId = partial.userId;
  if (partial.apiKeyId !== undefined) store.apiKeyId = partial.apiKeyId;
}
