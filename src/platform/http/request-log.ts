import type { Response } from 'express';
import type { AccessLog } from '../../config/index.js';
import type { LeanHistogram, Logger, Metrics } from '../telemetry/index.js';
import { redactText } from '../telemetry/index.js';
import type { ParserRefusal } from './client-errors.js';
import type { CheckedRequest } from './inputs.js';

/** Asked every few seconds by machines; worth a line only when they fail. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** The status that many proxies log when the client leaves before it has an answer. */
const CLIENT_CLOSED_REQUEST = 499;

/** How a request ended. */
interface Ending {
  readonly status: number;
  /** The connection closed before the whole answer was sent. */
  readonly isAborted: boolean;
}

/** What all requests of one method, route and ending share. */
interface Kind {
  readonly observe: (seconds: number) => void;
  /** Whether these requests have a line in the log. */
  readonly isLogged: boolean;
  /** Spelled members of the log line. */
  readonly members: string;
}

/** One log line and one observation a request. The route's pattern is recorded, never ids or queries. */
export class RequestObserver {
  private readonly kinds = new Map<string, Kind>();
  private readonly duration: LeanHistogram;

  constructor(
    private readonly logger: Logger,
    metrics: Metrics,
    private readonly accessLog: AccessLog,
  ) {
    this.duration = metrics.leanHistogram(
      'http_request_duration_seconds',
      'Time from the request to the end of its answer',
    );
  }

  /** To be called when the request arrives. `isOwnId`: the request id was made here and needs no redaction. */
  watch(request: CheckedRequest, response: Response, isOwnId: boolean): void {
    const cameAt = request.context?.cameAt ?? performance.now();
    response.on('close', () => {
      const milliseconds = performance.now() - cameAt;
      const kind = this.kindOf(request, response);
      kind.observe(milliseconds / 1000);
      if (!kind.isLogged) return;
      const id = isOwnId ? `"${request.requestId}"` : JSON.stringify(redactText(request.requestId));
      const members = `,"request_id":${id}${kind.members},"duration_ms":${Math.round(milliseconds)}${callerMembers(request)}${refusedBy(request, response)}`;
      this.logger.writeSpelled('info', 'request', members);
    });
  }

  /** A request without a method or route that could be told. */
  refusedByParser({ requestId, status, code }: ParserRefusal): void {
    const kind = this.kind('unparsed', 'unparsed', { status, isAborted: false });
    kind.observe(0);
    if (!kind.isLogged) return;
    const members = `,"request_id":${JSON.stringify(redactText(requestId))},"status":${status},"code":${JSON.stringify(code)}`;
    this.logger.writeSpelled('info', 'request', members);
  }

  private kindOf({ method, route: matched }: CheckedRequest, response: Response): Kind {
    const route = (matched as { path?: string } | undefined)?.path ?? 'unmatched';
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
      isLogged: this.isLogged(route, ending),
      members: `,"method":"${method}","route":${JSON.stringify(route)},"status":${status}${aborted}`,
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

/** Ids that the service made: nothing to redact or to escape. */
function callerMembers({ caller }: CheckedRequest): string {
  if (caller === undefined) return '';
  const { organizationId, projectId, userId, apiKeyId } = caller;
  return `${member('organization_id', organizationId)}${member('project_id', projectId)}${member('user_id', userId)}${member('api_key_id', apiKeyId)}`;
}

function member(name: string, id: string | undefined): string {
  return id === undefined ? '' : `,"${name}":"${id}"`;
}

/** A rate limit refuses before there is a route; its names are ours. */
function refusedBy(request: CheckedRequest, response: Response): string {
  if (response.statusCode !== 429 || request.route !== undefined) return '';
  const policy = response.getHeader('X-RateLimit-Policy');
  return typeof policy === 'string' ? `,"rate_limit_policy":"${policy}"` : '';
}
