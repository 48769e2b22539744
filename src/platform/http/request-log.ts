import type { Response } from 'express';
import type { AccessLog } from '../../config/index.js';
import type { LeanHistogram, Logger, Metrics, SpanAttributes } from '../telemetry/index.js';
import { redactText, traceIdOf } from '../telemetry/index.js';
import type { ParserRefusal } from './client-errors.js';
import type { CheckedRequest } from './inputs.js';

/** Machines request these routes every few seconds. They are logged only when they fail. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** The status that many proxies log when the client disconnects before it gets an answer. */
const CLIENT_CLOSED_REQUEST = 499;

const UNMATCHED = 'unmatched';

/** How a request ended. */
interface Ending {
  readonly status: number;
  /** The connection closed before the whole answer was sent. */
  readonly isAborted: boolean;
}

interface SharedSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly failure: string | undefined;
}

/** The values that all requests of one method, route and ending share. */
interface Kind {
  readonly observe: (seconds: number) => void;
  readonly ending: Ending;
  /** Whether these requests have a line in the log. */
  readonly isLogged: boolean;
  /** The members of the log line, as JSON text. */
  readonly members: string;
  /** The part of the span that these requests share. */
  readonly span: SharedSpan;
}

/**
 * Writes one log line and one metric observation for each request. Records the pattern of the route, never ids or
 * queries.
 */
export class RequestObserver {
  private readonly kinds = new Map<string, Kind>();
  private readonly duration: LeanHistogram;

  constructor(
    private readonly logger: Logger,
    metrics: Metrics,
    private readonly accessLog: AccessLog,
  ) {
    this.duration = metrics.leanHistogram(
      'oes_http_request_duration_seconds',
      'Time from the request to the end of its answer',
    );
  }

  /**
   * Observes the end of the request. Call this when the request arrives. `isOwnId` is true when the service generated
   * the request id, which then needs no redaction.
   */
  watch(request: CheckedRequest, response: Response, isOwnId: boolean): void {
    const cameAt = request.context?.cameAt ?? performance.now();
    response.on('close', () => {
      const milliseconds = performance.now() - cameAt;
      const kind = this.kindOf(request, response);
      kind.observe(milliseconds / 1000);
      const span = request.context?.span;
      if (span === undefined && !kind.isLogged) return;
      const id = isOwnId ? request.requestId : redactText(request.requestId);
      const { name, attributes, failure } = kind.span;
      span?.end({ name, attributes: [attributes, idsOf(request, id)], failure });
      if (!kind.isLogged) return;
      const spelledId = isOwnId ? `"${id}"` : JSON.stringify(id);
      const members = `,"request_id":${spelledId}${traceMember(request)}${kind.members},"duration_ms":${Math.round(milliseconds)}${callerMembers(request)}${refusedBy(request, response)}`;
      this.logger.writeSpelled('info', 'request', members);
    });
  }

  /** Records a request that the parser rejected. Its method and route are unknown. */
  refusedByParser({ requestId, status, code }: ParserRefusal): void {
    const kind = this.kind('unparsed', 'unparsed', { status, isAborted: false });
    kind.observe(0);
    if (!kind.isLogged) return;
    const members = `,"request_id":${JSON.stringify(redactText(requestId))},"status":${status},"code":${JSON.stringify(code)}`;
    this.logger.writeSpelled('info', 'request', members);
  }

  private kindOf({ method, route: matched }: CheckedRequest, response: Response): Kind {
    const route = (matched as { path?: string } | undefined)?.path ?? UNMATCHED;
    const isAborted = !response.writableFinished;
    const status = isAborted && !response.headersSent ? CLIENT_CLOSED_REQUEST : response.statusCode;
    return this.kind(method, route, { status, isAborted });
  }

  private kind(method: string, route: string, ending: Ending): Kind {
    const { status, isAborted } = ending;
    const name = `${method} ${route} ${status} ${isAborted}`;
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    const series = this.duration.series({ method, route, status: isAborted ? 'aborted' : String(status) });
    const aborted = isAborted ? ',"aborted":true' : '';
    const kind: Kind = {
      observe: (seconds) => series.observe(seconds),
      ending,
      isLogged: this.isLogged(route, ending),
      members: `,"method":"${method}","route":${JSON.stringify(route)},"status":${status}${aborted}`,
      span: spanOf(method, route, ending),
    };
    this.kinds.set(name, kind);
    return kind;
  }

  private isLogged(route: string, { status, isAborted }: Ending): boolean {
    if (this.accessLog === 'off') return false;
    if (isAborted || status >= 500) return true;
    return this.accessLog === 'all' && (!PROBES.has(route) || status >= 400 || this.logger.isEnabled('debug'));
  }
}

function traceMember({ context }: CheckedRequest): string {
  return context?.traceparent === undefined ? '' : `,"trace_id":"${traceIdOf(context.traceparent)}"`;
}

/** Returns the name and the result of a span. Ids in paths and queries are not part of it. */
function spanOf(method: string, route: string, { status, isAborted }: Ending): SharedSpan {
  const isMatched = route !== UNMATCHED;
  return {
    name: isMatched ? `${method} ${route}` : method,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': status,
      ...(isMatched && { 'http.route': route }),
    },
    failure: isAborted ? 'the connection closed early' : status >= 500 ? 'server error' : undefined,
  };
}

function idsOf({ caller }: CheckedRequest, requestId: string): SpanAttributes {
  return {
    'oes.request_id': requestId,
    'oes.organization_id': caller?.organizationId,
    'oes.project_id': caller?.projectId,
  };
}

/** Returns the caller's ids as members. The service generated them, so they need neither redaction nor escaping. */
function callerMembers({ caller }: CheckedRequest): string {
  if (caller === undefined) return '';
  const { organizationId, projectId, userId, apiKeyId } = caller;
  return `${member('organization_id', organizationId)}${member('project_id', projectId)}${member('user_id', userId)}${member('api_key_id', apiKeyId)}`;
}

function member(name: string, id: string | undefined): string {
  return id === undefined ? '' : `,"${name}":"${id}"`;
}

/**
 * Returns a log member with the rate limit policy that refused a request before its route was known, or an empty text.
 * Policy names need no escaping.
 */
function refusedBy(request: CheckedRequest, response: Response): string {
  if (response.statusCode !== 429 || request.route !== undefined) return '';
  const policy = response.getHeader('X-RateLimit-Policy');
  return typeof policy === 'string' ? `,"rate_limit_policy":"${policy}"` : '';
}
