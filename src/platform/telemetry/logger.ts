import type { LoggerService, LogLevel as NestLevel } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { prettyLines } from './pretty-lines.js';
import { redact, redactText } from './redact.js';
import { BufferedDestination } from './buffered-destination.js';
import { currentContext } from './request-context.js';
import { StandardOutput } from './standard-output.js';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
export type LogFields = Readonly<Record<string, unknown>>;

export interface LoggerOptions {
  readonly level: LogLevel | 'silent';
  /** Lines for people in place of JSON; by default when standard output is a terminal. */
  readonly pretty?: boolean;
  /** By default standard output, as {@link StandardOutput} writes it. */
  readonly destination?: DestinationStream;
}

/** The framework's names, from the quietest that still tells most to the loudest, with ours. */
const NEST_LEVELS: readonly (readonly [NestLevel, LogLevel])[] = [
  ['verbose', 'trace'],
  ['debug', 'debug'],
  ['log', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
  ['fatal', 'fatal'],
];

/**
 * One JSON object a line: `level`, `time`, the ids of the running request, the fields, `message`.
 * Everything is redacted before it is written. Methods take `(message, fields)`, an error under `err`,
 * and also what Nest passes to its logger, so an application can use it as its own.
 */
export class Logger implements LoggerService {
  private readonly writer: PinoLogger;
  private readonly destination: DestinationStream;

  constructor(options: LoggerOptions) {
    const pretty = options.pretty ?? (options.destination === undefined && process.stdout.isTTY);
    const plain = options.destination ?? new BufferedDestination(new StandardOutput());
    this.destination = pretty ? prettyLines(plain) : plain;
    this.writer = pino(
      {
        level: options.level,
        base: null,
        messageKey: 'message',
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        // Errors are spelled out before they get here; the stock serializer would do it once more.
        serializers: { err: (value: unknown) => value },
      },
      this.destination,
    );
  }

  write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.writer.isLevelEnabled(level)) return;
    this.writer[level](redact(withoutReserved({ ...contextFields(), ...fields })), redactText(message));
  }

  isEnabled(level: LogLevel): boolean {
    return this.writer.isLevelEnabled(level);
  }

  /**
   * For the line of each request, where {@link write} would cost more than the request: `members` are JSON members that
   * the caller has spelled and redacted, each with a comma before it. The caller decides whether the line is written; only
   * the level `silent` drops it. On standard output such a line may wait 100 ms for others, or for the next line of another kind.
   */
  writeSpelled(level: LogLevel, message: string, members: string): void {
    if (this.writer.level === 'silent') return;
    const line = `{"level":"${level}"${pino.stdTimeFunctions.isoTime()}${members},"message":"${message}"}\n`;
    if (this.destination instanceof BufferedDestination) this.destination.hold(line);
    else this.destination.write(line);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.writeLoose(WIRING_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.writeLoose('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.writeLoose('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.writeLoose('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.writeLoose('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.writeLoose('fatal', message, rest);
  }

  /** Nest names the levels it wants; the most talkative of them becomes the threshold, none means silence. */
  setLogLevels(levels: NestLevel[]): void {
    this.writer.level = NEST_LEVELS.find(([level]) => levels.includes(level))?.[1] ?? 'silent';
  }

  /** Nest's calls end in the name of the writing class, errors have a stack before it; ours end in fields. */
  private writeLoose(level: LogLevel, message: unknown, rest: readonly unknown[]): void {
    if (!this.writer.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    const details: unknown[] = [];
    rest.forEach((part, index) => {
      if (part === undefined) return;
      if (part instanceof Error) fields['err'] = part;
      else if (typeof part === 'string' && /\n\s+at /.test(part)) fields['stack'] = part;
      else if (typeof part === 'string' && index === rest.length - 1) fields['context'] = part;
      else if (typeof part === 'object' && part !== null && !Array.isArray(part)) Object.assign(fields, part);
      else details.push(part);
    });
    if (details.length > 0) fields['details'] = details;
    if (message instanceof Error) this.write(level, message.message, { err: message, ...fields });
    else if (typeof message === 'object' && message !== null) this.write(level, '', { data: message, ...fields });
    else this.write(level, String(message), fields);
  }
}

/** Nest tells at every start what it wires together; only a developer of this service wants to know. */
const WIRING_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** A field of one of the line's own names would make a second key of that name in the same object. */
function withoutReserved({ level, time, message, ...fields }: Record<string, unknown>): LogFields {
  return { ...fields, field_level: level, field_time: time, field_message: message };
}

function contextFields(): LogFields {
  const context = currentContext();
  if (context === undefined) return {};
  return {
    request_id: context.requestId,
    organization_id: context.organizationId,
    project_id: context.projectId,
    user_id: context.userId,
    api_key_id: context.apiKeyId,
  };
}
