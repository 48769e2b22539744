import { ScopedValue } from '../concurrency/index.js';

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

const context = new ScopedValue<RequestContext>();

/** Runs `work`, and all that it starts, in this context, until `leave` is called. What is added to it later is seen everywhere. */
export function runInContext<T>(of: RequestContext, work: (leave: () => void) => T): T {
  return context.until(of, work);
}

/** For what goes on after its request: keeps the context, if there is one, until the function it returns is called. */
export function holdContext(): () => void {
  return context.hold();
}

/** Undefined outside a request or job. */
export function currentContext(): RequestContext | undefined {
  return context.get();
}
