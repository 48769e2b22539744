import { AsyncLocalStorage } from 'node:async_hooks';

/** Who is being served; grows as guards find out, and is on every log line. */
export interface RequestContext {
  readonly requestId: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly userId?: string;
  readonly apiKeyId?: string;
}

const storage = new AsyncLocalStorage<{ current: RequestContext }>();

/** Runs `work`, and all that it starts, in this context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run({ current: { ...context } }, work);
}

/** Undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore()?.current;
}

/** Adds to the context of the running request, for its callers too; without a context it does nothing. Undefined leaves a field as it is. */
export function setContext(partial: Partial<RequestContext>): void {
  const store = storage.getStore();
  if (store === undefined) return;
  const fields: [string, string | undefined][] = Object.entries(partial);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  store.current = { ...store.current, ...given };
}
