import type { Response } from 'express';
import type { LeanHistogram, Logger, LogLevel, Metrics } from '../telemetry/index.js';
import { redactText } from '../telemetry/index.js';
import type { ParserRefusal } from './client-errors.js';
import type { CheckedRequest } from './inputs.js';

/** Asked every few seconds by machines; worth a line only when they fail. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** What all requests of one method, route and outcome share. */
interface Kind {
  readonly observe: (seconds: number) => void;
  readonly level: LogLevel;
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
      const id = isOwnId ? `"${request.requestId}"` : JSON.stringify(redactText(request.requestId));
      const members = `,"request_id":${id}${kind.members},"duration_ms":${Math.round(milliseconds)}${callerMembers(request)}${refusedBy(request, response)}`;
      this.logger.writeSpelled(kind.level, 'request', members);
    });
  }

  /** A request without a method or route that could be told. */
  refusedByParser({ requestId, status, code }: ParserRefusal): void {
    this.kind('unparsed', 'unparsed', String(status), 'info').observe(0);
    this.logger.info('request', { request_id: requestId, status: String(status), code });
  }

  private kindOf({ method, route: matched }: CheckedRequest, { writableFinished, statusCode }: Response): Kind {
    const route = (matched as { path?: string } | undefined)?.path ?? 'unmatched';
    const status = writableFinished ? String(statusCode) : 'aborted';
    return this.kind(method, route, status, PROBES.has(route) && statusCode < 400 ? 'debug' : 'info');
  }

  private kind(method: string, route: string, status: string, level: LogLevel): Kind {
    const name = `${method} ${route} ${status}`;
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    const series = this.duration.series({ method, route, status });
    const kind: Kind = {
      observe: (seconds) => series.observe(seconds),
      level,
      members: `,"method":"${method}","route":${JSON.stringify(route)},"status":"${status}"`,
    };
    this.kinds.set(name, kind);
    return kind;
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
