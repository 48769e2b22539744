import type { LoggerService, LogLevel as NestLevel } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { prettyLines } from './pretty-lines.js';
import { redact, redactText } from './redact.js';
import { BufferedDestination } from './buffered-destination.js';
import { currentContext } from './request-context.js';
import { standardOutput } from './standard-output.js';
import { traceIdOf } from './traceparent.js';
import { isError } from '../errors/index.js';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
export type LogFields = Readonly<Record<string, unknown>>;

export interface LoggerOptions {
  readonly level: LogLevel | 'silent';
  /** Writes readable lines instead of JSON. By default, this is on when standard output is a terminal. */
  readonly pretty?: boolean;
  /** By default, lines go to standard output with {@link standardOutput}. */
  readonly destination?: DestinationStream;
}

/** Nest's log levels and the service's levels for them, from the most to the least verbose. */
const NEST_LEVELS: readonly (readonly [NestLevel, LogLevel])[] = [
  ['verbose', 'trace'],
  ['debug', 'debug'],
  ['log', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
  ['fatal', 'fatal'],
];

/**
 * Writes one JSON object per line, with `level`, `time`, the ids of the running request, the fields and `message`.
 * Everything is redacted before it is written. The methods take `(message, fields)`, where an error is the field `err`.
 * They also accept the arguments that Nest passes to loggers, so that an application can use this class as its logger.
 */
export class Logger implements LoggerService {
  private readonly writer: PinoLogger;
  private readonly destination: DestinationStream;

  constructor(options: LoggerOptions) {
    const pretty = options.pretty ?? (options.destination === undefined && process.stdout.isTTY);
    const plain = options.destination ?? new BufferedDestination(standardOutput);
    this.destination = pretty ? prettyLines(plain) : plain;
    this.writer = pino(
      {
        level: options.level,
        base: null,
        messageKey: 'message',
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        // Errors were already converted. The default serializer would convert them again.
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
   * Writes the line of a request, because {@link write} would cost more than the request itself. `members` are JSON
   * members that the caller has serialized and redacted, each with a comma before it. The caller has already decided
   * that the line is written, so only the level `silent` drops it. On standard output, the line may wait up to 100 ms,
   * or until another kind of line is written.
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

  /** Sets the threshold to the most verbose of the levels that Nest passes. Without levels, nothing is logged. */
  setLogLevels(levels: NestLevel[]): void {
    this.writer.level = NEST_LEVELS.find(([level]) => levels.includes(level))?.[1] ?? 'silent';
  }

  /**
   * Writes a line for the arguments of Nest or of the service. Nest's arguments end with the name of the calling class,
   * which follows a stack in case of an error. The service's arguments end with fields.
   */
  private writeLoose(level: LogLevel, message: unknown, rest: readonly unknown[]): void {
    if (!this.writer.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    const details: unknown[] = [];
    rest.forEach((part, index) => {
      if (part === undefined) return;
      if (isError(part)) fields['err'] = part;
      else if (typeof part === 'string' && /\n\s+at /.test(part)) fields['stack'] = part;
      else if (typeof part === 'string' && index === rest.length - 1) fields['context'] = part;
      else if (typeof part === 'object' && part !== null && !Array.isArray(part)) Object.assign(fields, part);
      else details.push(part);
    });
    if (details.length > 0) fields['details'] = details;
    if (isError(message)) this.write(level, message.message, { err: message, ...fields });
    else if (typeof message === 'object' && message !== null) this.write(level, '', { data: message, ...fields });
    else this.write(level, String(message), fields);
  }
}

/** The contexts of Nest's messages about wiring at the start. They matter only to developers of this service. */
const WIRING_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Renames fields whose names the line itself uses, because they would otherwise occur twice in the object. */
function withoutReserved({ level, time, message, ...fields }: Record<string, unknown>): LogFields {
  return { ...fields, field_level: level, field_time: time, field_message: message };
}

function contextFields(): LogFields {
  const context = currentContext();
  if (context === undefined) return {};
  return {
    request_id: context.requestId,
    trace_id: context.traceparent && traceIdOf(context.traceparent),
    organization_id: context.organizationId,
    project_id: context.projectId,
    user_id: context.userId,
    api_key_id: context.apiKeyId,
  };
}
